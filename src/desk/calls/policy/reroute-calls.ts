/** Brings what waits up to a changed policy, a route that was set in Slack, or a changed user group: a page at a time, so that people come first. */

import { DamagedRecordError } from '../../../domain/audit/damaged-record.ts';
import type { Call } from '../../../domain/calls/call.ts';
import {
  readRerouteId,
  renderCardKey,
  rerouteKey,
  type TeamGroup,
} from '../../../domain/ports/agenda.ts';
import type { DeskDeps, HeldWork } from '../../deps.ts';
import { advanceByStep } from '../advance-call.ts';
import { createReevaluatePolicy, type ReevaluateDeps } from './reevaluate-policy.ts';

const PAGE = 50;
/** So many are looked at before the event loop turns. */
const HEAR_EVERY = 10;
/** What is known of those who approved may be a few minutes old: the claim asks anew. */
const PATIENT = { mayWaitForLimit: true } as const;

/** Builds the use case: looks at a page of the waiting calls, moves those whose route has changed, and sees to it that the next page is looked at. */
export function createReroute(deps: Pick<DeskDeps, 'store'> & ReevaluateDeps) {
  const { clock, log, store } = deps;
  const { agenda, ledger } = store;
  const evaluateAgain = createReevaluatePolicy(deps);

  async function follow(call: Call, group: TeamGroup | undefined): Promise<void> {
    let stays = false;
    const stepOf = async (newest: Call) => {
      const step = newest.status === 'pending' ? await evaluateAgain(newest, PATIENT) : undefined;
      stays = newest.status === 'pending' && step === undefined;
      return step;
    };
    await advanceByStep(deps, call.id, stepOf, { known: call });
    // Its card says for whom it waits.
    if (stays && group) await agenda.wake([{ key: renderCardKey(call), dueAt: clock.now() }]);
  }

  /** One call that can't be looked at now does not hold up the others. */
  async function tryToFollow(call: Call, group: TeamGroup | undefined): Promise<unknown> {
    try {
      await follow(call, group);
      return undefined;
    } catch (error) {
      log.warn({ err: error, call: call.id }, 'A waiting call could not be looked at again.');
      return error;
    }
  }

  async function pageOf(group: TeamGroup | undefined, after: string | undefined) {
    const page = { after, limit: PAGE };
    return group === undefined
      ? await ledger.withStatus('pending', page)
      : await ledger.askingAnyOf(group.team, [group.group], page);
  }

  /** Resolves with what went wrong last. */
  async function followAll(
    calls: readonly Call[],
    group: TeamGroup | undefined,
    signal: AbortSignal,
  ): Promise<unknown> {
    let failure: unknown;
    for (const [i, call] of calls.entries()) {
      signal.throwIfAborted();
      if (call.status === 'pending') failure = (await tryToFollow(call, group)) ?? failure;
      if (i % HEAR_EVERY === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    return failure;
  }

  return async function reroute(id: string, { signal }: Pick<HeldWork, 'signal'>): Promise<void> {
    const { after, group } = readRerouteId(id);
    // One question for the whole page.
    if (group) await deps.directory.groupOf(group.group, { ...PATIENT, maxAgeMs: 0 });
    const calls = await pageOf(group, after);
    const failure = await followAll(calls, group, signal);
    const last = calls.at(-1);
    if (last && calls.length === PAGE) {
      await agenda.wake([{ key: rerouteKey(group ?? 'all', last.id), dueAt: clock.now() }]);
    }
    if (failure !== undefined && !(failure instanceof DamagedRecordError)) throw failure;
  };
}
