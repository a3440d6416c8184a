/** A simulated process: all its calls pass here, so that it can die, be suspended, or see a call fail. */
import type { Clock } from '../../../src/domain/ports/clock.ts';
import type { Passage } from '../../support/store/faulty-store.ts';

/** A fault of the n-th call of a point (`*`: of any but a tool), before or after it took effect. */
export interface Fault {
  readonly point: string;
  readonly nth: number;
  readonly side: 'before' | 'after';
  /** `hang`: the response arrives 40 seconds later, or never, if the process ends. */
  readonly what: 'kill' | 'freeze' | 'fail' | 'hang';
}

export interface LabProcess extends Passage {
  /** Its view of the time: a dead process sees none of it, a suspended one sees it later. */
  readonly clock: Clock;
  readonly state: () => 'alive' | 'frozen' | 'dead';
  arm(fault: Fault | undefined): void;
  disarm(): void;
  /** The last armed fault, if it has hit a call. */
  readonly fired: () => Fault | undefined;
  /** Calls that were about to start at the suspension, too late to notice it. */
  readonly atTheDoor: () => readonly string[];
  kill(): void;
  freeze(): void;
  thaw(): void;
}

/** Calls in flight to a store, a chat or a tool. */
export interface Traffic {
  underWay: number;
  /** The number of calls started so far. */
  begun: number;
  /** Calls that hang. */
  hanging: number;
}

const HANG_MS = 40_000;

const NEVER = new Promise<never>(() => {});

/** Creates a process. */
export function createLabProcess(clock: Clock, traffic: Traffic): LabProcess {
  let state: ReturnType<LabProcess['state']> = 'alive';
  let armed: Fault | undefined;
  let seen = 0;
  let fired: Fault | undefined;
  let thawed: Promise<void> = Promise.resolve();
  let onThaw = () => {};
  const late: (() => void)[] = [];
  const doors: string[] = [];

  /** A dead process never continues. */
  async function untilResumed(): Promise<void> {
    while (state === 'frozen') await thawed;
    if (state === 'dead') await NEVER;
  }

  function takeFault(point: string): Fault | undefined {
    const isMeant = armed?.point === '*' ? !point.startsWith('tool.') : armed?.point === point;
    if (armed === undefined || !isMeant) return undefined;
    seen += 1;
    return seen === armed.nth ? armed : undefined;
  }

  async function applyFault(fault: Fault, point: string): Promise<void> {
    fired = fault;
    armed = undefined;
    switch (fault.what) {
      case 'kill':
        kill();
        return await NEVER;
      case 'freeze':
        freeze();
        return await untilResumed();
      case 'hang':
        return await hang();
      case 'fail':
        throw new Error(`${point} failed ${fault.side} it took effect.`);
    }
  }

  async function hang(): Promise<void> {
    traffic.hanging += 1;
    await new Promise<void>((resolve) => {
      clock.schedule(clock.now() + HANG_MS, resolve);
    });
    traffic.hanging -= 1;
    await untilResumed();
  }

  function kill(): void {
    state = 'dead';
    onThaw();
  }

  function freeze(): void {
    if (state !== 'alive') return;
    state = 'frozen';
    thawed = new Promise((resolve) => {
      onThaw = resolve;
    });
  }

  return {
    state: () => state,
    atTheDoor: () => doors,
    fired: () => fired,
    kill,
    freeze,
    arm(fault) {
      armed = fault;
      seen = 0;
      fired = undefined;
    },
    disarm() {
      armed = undefined;
    },
    thaw() {
      if (state !== 'frozen') return;
      state = 'alive';
      onThaw();
      for (const run of late.splice(0)) run();
    },
    clock: {
      now: clock.now,
      schedule: (at, run) =>
        clock.schedule(at, () => {
          if (state === 'alive') run();
          else if (state === 'frozen') late.push(run);
        }),
    },
    async pass(point, call) {
      if (state === 'frozen') doors.push(point);
      await untilResumed();
      const fault = takeFault(point);
      if (fault?.side === 'before') {
        if (fault.what === 'freeze') doors.push(point);
        await applyFault(fault, point);
      }
      await untilResumed();
      traffic.begun += 1;
      traffic.underWay += 1;
      const result = await call().finally(() => {
        traffic.underWay -= 1;
      });
      await untilResumed();
      if (fault?.side === 'after') await applyFault(fault, point);
      return result;
    },
  };
}
