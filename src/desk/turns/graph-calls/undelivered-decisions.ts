/** Decisions that did not reach their graph. */

import type { Call } from '../../../domain/calls/call.ts';
import { behaviourOf } from '../../../domain/calls/call-origin.ts';
import type { GraphState, OpenCall } from '../../../domain/ports/agent.ts';
import { matchOpenCalls } from './match-open-calls.ts';

/**
 * Ids of calls that were decided but not handed over, because others of their batch are undecided.
 */
export function findUndeliveredDecisions(
  open: readonly OpenCall[],
  all: readonly Call[],
): ReadonlySet<string> {
  const matched = matchOpenCalls(open, all);
  const unfinished = new Set(
    matched.filter(({ stored }) => !isDecided(stored)).map((each) => each.open.batch),
  );
  const held = matched.filter(
    ({ open: { batch } }) => batch !== undefined && unfinished.has(batch),
  );
  return new Set(
    held.flatMap(({ stored }) =>
      stored?.status === 'running' && behaviourOf(stored).runBy === 'graph' ? [stored.id] : [],
    ),
  );
}

/**
 * A call that is not stored was unreadable and is answered without people. A call that a
 * stop withdrew counts as undecided, because the stop may have been cut off.
 */
function isDecided(call: Call | undefined): boolean {
  if (!call) return true;
  const { outcome, status } = call;
  if (outcome) return outcome.kind !== 'withdrawn' || outcome.cause !== 'stop';
  return status === 'running';
}

/**
 * Adds a failure if a decision may not have reached the graph, because it no longer waits for it.
 */
export function withUnusedDecision(state: GraphState, undelivered: readonly Call[]): GraphState {
  const last = state.messages.at(-1)?.id;
  const lost = undelivered.filter(({ messageId }) => messageId === last);
  const [first] = lost;
  if (!first || state.failure !== undefined) return state;
  const what = [...new Set(lost.map(({ tool }) => `“${tool}”`))].join(', ');
  const { notice: _none, ...rest } = state;
  const failure = `“${first.outside?.name}” no longer waits for ${what}: the decision may not have reached it.`;
  return { ...rest, failure };
}
