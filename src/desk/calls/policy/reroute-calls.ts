/**
 * Applies a changed policy, route or user group to pending calls. Works page by page, so that
 * people's requests go first.
 */

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
/** How many calls are handled before yielding to the event loop. */
const YIELD_EVERY = 10;
/** Profiles may be a few minutes old, because the claim looks them up again. */
const LOOKUP = { mayWaitForLimit: true } as const;

/**
 * Builds the use case: moves the calls of one page whose route has changed, and schedules the next
 * page.
 */
export function createReroute(deps: Pick<DeskDeps, 'store'> & ReevaluateDeps) {
  const { clock, log, store } = deps;
  const { agenda, ledger } = store;
  const evaluateAgain = createReevaluatePolicy(deps);

  async function follow(call: Call, group: TeamGroup | undefined): Promise<void> {
    let isUnchanged = false;
    const stepOf = async (newest: Call) => {
      const step = newest.status === 'pending' ? await evaluateAgain(newest, LOOKUP) : undefined;
      isUnchanged = newest.status === 'pending' && step === undefined;
      return step;
    };
    await advanceByStep(deps, call.id, stepOf, { known: call });
    // Its card names the approvers.
    if (isUnchanged && group) await agenda.wake([{ key: renderCardKey(call), dueAt: clock.now() }]);
  }

  /** A call that fails does not hold up the others. */
  async function tryToFollow(call: Call, group: TeamGroup | undefined): Promise<unknown> {
    try {
      await follow(call, group);
      return undefined;
    } catch (error) {
      log.warn({ err: error, call: call.id }, 'Could not reevaluate a pending call.');
      return error;
    }
  }

  /** Resolves with the last error, if any. */
  async function followAll(
    calls: readonly Call[],
    group: TeamGroup | undefined,
    signal: AbortSignal,
  ): Promise<unknown> {
    let failure: unknown;
    for (const [i, call] of calls.entries()) {
      signal.throwIfAborted();
      if (call.status === 'pending') failure = (await tryToFollow(call, group)) ?? failure;
      if (i % YIELD_EVERY === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    return failure;
  }

  return async function reroute(id: string, { signal }: Pick<HeldWork, 'signal'>): Promise<void> {
    const { after, group } = readRerouteId(id);
    // One lookup for the whole page.
    if (group) await deps.directory.groupOf(group.group, { ...LOOKUP, maxAgeMs: 0 });
    const calls = await pageOf(ledger, group, after);
    const failure = await followAll(calls, group, signal);
    const last = calls.at(-1);
    if (last && calls.length === PAGE) {
      await agenda.wake([{ key: rerouteKey(group ?? 'all', last.id), dueAt: clock.now() }]);
    }
    if (failure !== undefined && !(failure instanceof DamagedRecordError)) throw failure;
  };
}

async function pageOf(
  ledger: DeskDeps['store']['ledger'],
  group: TeamGroup | undefined,
  after: string | undefined,
) {
  const page = { after, limit: PAGE };
  return group === undefined
    ? await ledger.withStatus('pending', page)
    : await ledger.askingAnyOf(group.team, [group.group], page);
}
