import type { KillPlan } from './protocol.ts';

/** How long a process hangs before it dies where a request has not been made: what does not wait for the request goes on. */
const HANG_MS = 20;

/** Ends this process by SIGKILL where the plan says so. */
export interface KillSwitch {
  /** Counts the point, and dies there when it is its time. */
  pass(point: string): void;
  /** Like `pass`, but hangs for a moment first: whoever does not wait for what comes next, goes on. */
  hang(point: string): Promise<void>;
  /** Counts the point, and tells whether it is the one: the caller sees to it that we die. */
  isTime(point: string): boolean;
  /** Nothing of this process runs after it. */
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

/** A signal to oneself is delivered before `kill` returns. https://man7.org/linux/man-pages/man2/kill.2.html */
function die(): void {
  process.kill(process.pid, 'SIGKILL');
}
