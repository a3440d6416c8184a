import type { Call } from '../../domain/calls/call.ts';
import { cardLocationOf, isInOtherChannel } from '../../domain/cards/card-channel.ts';
import { isSamePerson } from '../../domain/people/person.ts';
import { missingApprovers } from '../../domain/rules/reminder-schedule.ts';
import { joinSentences, type Sentence, sentence } from '../../domain/text/sentence.ts';
import type { DeskDeps } from '../deps.ts';
import { createNameApprovers } from '../people/name-approvers.ts';

/** More names would not fit the status line. */
const MAX_NAMED = 3;

const ON_THE_CARD = 'is waiting for a decision on the card';

/**
 * Builds the status text for pending calls: who must decide, and in which channel. Without names if
 * the lookup fails.
 */
export function createDescribePending({ directory, log }: Pick<DeskDeps, 'directory' | 'log'>) {
  const nameApprovers = createNameApprovers({ directory });

  return async function describePending(calls: readonly Call[]): Promise<Sentence> {
    const isOwn = calls.every(
      (call) =>
        !isInOtherChannel(call) &&
        missingApprovers(call).groups.length === 0 &&
        missingApprovers(call).people.every((each) => isSamePerson(each, call.requester)),
    );
    if (isOwn) return ON_THE_CARD;
    const channels = new Set(
      calls.filter(isInOtherChannel).map((call) => cardLocationOf(call).channel),
    );
    const where = joinSentences(
      [...channels].map((channel) => ({ channel })),
      ', ',
    );
    try {
      const names = joinSentences(await nameApprovers(calls, MAX_NAMED), ', ');
      const who = sentence`is waiting for ${names}`;
      return channels.size === 0 ? who : sentence`${who} in ${where}`;
    } catch (error) {
      log.warn({ err: error }, 'Could not look up the names for a status line.');
      return channels.size === 0 ? ON_THE_CARD : sentence`is waiting for a decision in ${where}`;
    }
  };
}
