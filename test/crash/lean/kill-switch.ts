import type { KillPlan } from './protocol.ts';

/** How long a process hangs before it dies at an unsent request: work that does not wait for the request continues. */
const HANG_MS = 20;

/** Ends this process by SIGKILL at the planned point. */
export interface KillSwitch {
  /** Counts the point, and dies there at the planned count. */
  pass(point: string): void;
  /** Like `pass`, but hangs for a moment first: work that does not wait for the next step continues. */
  hang(point: string): Promise<void>;
  /** Counts the point, and returns whether it is the planned one: the caller kills the process. */
  isTime(point: string): boolean;
  /** Kills this process; no code runs after it. */
  die(): void;
  /** How often each point was passed. */
  counts(): Readonly<Record<string, number>>;
}

/** Creates the switch of a process. */
export function createKillSwitch(plan: KillPlan | undefined): KillSwitch {
  const counts = new Map<string, number>();

  function isTime(point: string): boolean {
    const count = (counts.get(point) ?? 0) + 1;
    counts.set(point, count);
    return plan !== undefined && plan.point === point && plan.nth === count;
  }

  return {
    isTime,
    die,
    pass(point) {
      if (isTime(point)) die();
    },
    async hang(point) {
      if (!isTime(point)) return;
      await new Promise((resolve) => setTimeout(resolve, HANG_MS));
      die();
    },
    counts: () => Object.fromEntries(counts),
  };
}

/** A signal to the own process is delivered before `kill` returns. https://man7.org/linux/man-pages/man2/kill.2.html */
function die(): void {
  process.kill(process.pid, 'SIGKILL');
}
