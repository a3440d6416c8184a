/** What the clock does to a call that nobody decides, before its deadline: a reminder, and the way to others. */
import { sayKey } from '../domain/agenda.ts';
import type { Call } from '../domain/call.ts';
import { shortDigest } from '../domain/digest.ts';
import { escalate, escalateAt, missingApprovers, remind, remindAt } from '../domain/patience.ts';
import { inWords, type Say } from '../domain/store.ts';
import type { Step } from '../domain/transitions.ts';
import type { DeskDeps } from './deps.ts';
import { effectsOf } from './effects.ts';

type PressOnDeps = Pick<DeskDeps, 'store' | 'clock'>;

/** Builds the use case: reminds those who have not decided a pending call, once. */
export function createRemind(deps: PressOnDeps) {
  return whenDue(deps, remindAt, remind, (call) => ({
    ...base('reminder', call),
    ...inWords(`“${call.tool}” (call ${shortDigest(call.digest)}) still waits for a decision.`),
  }));
}

/** Builds the use case: hands a pending call to the route that comes after its own, and calls those who may decide now. */
export function createEscalate(deps: PressOnDeps) {
  return whenDue(deps, escalateAt, escalate, (call) => ({
    ...base(`escalation:${call.route?.name}`, call),
    ...inWords(
      `Nobody has decided on “${call.tool}” (call ${shortDigest(call.digest)}) in time. From now on it is for the route “${call.route?.name}”.`,
    ),
  }));
}

function base(what: string, call: Call): Omit<Say, 'text'> {
  const { id, route, thread, updatedAt } = call;
  return {
    id: `${what}:${id}:${route?.name}:${call.pendingSince}`,
    thread,
    kind: 'notice',
    mentions: missingApprovers(call),
    createdAt: updatedAt,
  };
}

/** Takes the step when its time has come, with words that are said once; the call is read again until it stands. */
function whenDue(
  { store, clock }: PressOnDeps,
  dueAt: (call: Call) => number | undefined,
  stepOf: (call: Call, now: number) => Step | undefined,
  sayOf: (call: Call) => Say,
) {
  /** At its deadline a call expires, whichever of the two is looked at first. */
  function isDue(call: Call, now: number): boolean {
    const at = dueAt(call);
    return at !== undefined && now >= at && now < (call.deadlineAt ?? Number.POSITIVE_INFINITY);
  }

  async function take(call: Call, step: Step): Promise<boolean> {
    const { audit, wakes } = effectsOf(call, [step], undefined);
    const say = sayOf(step.call);
    const sayWake = { key: sayKey(say.thread), dueAt: say.createdAt };
    return await store.ledger.write(call, [step], {
      audit,
      wakes: [...wakes, sayWake],
      says: [say],
    });
  }

  return async function pressOn(callId: string): Promise<void> {
    for (;;) {
      const now = clock.now();
      const call = await store.ledger.get(callId);
      const step = call && isDue(call, now) ? stepOf(call, now) : undefined;
      if (!call || !step || (await take(call, step))) return;
    }
  };
}
