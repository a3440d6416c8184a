import type { Call } from '../../domain/calls/call.ts';
import { behaviourOf } from '../../domain/calls/call-origin.ts';
import { joinSentences, type Sentence, sentence } from '../../domain/text/sentence.ts';
import type { PendingWork } from '../calls/pending-work.ts';
import type { DeskDeps } from '../deps.ts';
import { createDescribePending } from './describe-pending.ts';

export const THINKING = 'is thinking…';
const MAX_HELPERS = 5;

/**
 * Builds the description of a waiting thread: its own state first, then each helper's, such as
 * `is waiting for helpers · research is thinking…`.
 */
export function createDescribeWaiting(deps: Pick<DeskDeps, 'directory' | 'log'>) {
  const describePendingCalls = createDescribePending(deps);

  async function describeHelpers({ helpers }: PendingWork): Promise<readonly Sentence[]> {
    const all = helpers.map(async (helper) => [
      sentence`${helper.name} ${await describeState(helper)}`,
      ...(await describeHelpers(helper)),
    ]);
    return (await Promise.all(all)).flat();
  }

  async function describeState({ calls }: PendingWork): Promise<Sentence> {
    if (calls.length === 0) return THINKING;
    const own = calls.filter(({ child }) => child === undefined);
    if (own.length === 0)
      return calls.length === 1 ? 'is waiting for a helper' : 'is waiting for helpers';
    return describeBusy(own) ?? (await describePendingCalls(own));
  }

  return async function describeWaiting(waiting: PendingWork): Promise<Sentence> {
    const helpers = await describeHelpers(waiting);
    const shown = helpers.slice(0, MAX_HELPERS);
    const left = helpers.length - shown.length;
    const more = left > 0 ? [`and ${left} more`] : [];
    return joinSentences([await describeState(waiting), ...shown, ...more], ' · ');
  };
}

/** True if a call runs or is about to. */
export function isAtWork({ status }: Call): boolean {
  return status === 'running' || status === 'approved';
}

/** Describes work in the thread other than waiting for people. */
function describeBusy(own: readonly Call[]): string | undefined {
  const running = own.filter((call) => isAtWork(call) && behaviourOf(call).runBy !== 'graph');
  if (running.length > 0) return `is running ${running.map(({ tool }) => tool).join(', ')}…`;
  if (own.some(({ status }) => status === 'unknown')) {
    return 'is waiting for someone to say whether the interrupted call ran';
  }
  return undefined;
}
