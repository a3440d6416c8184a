import type { Bulletin } from '../../domain/bulletin.ts';
import { dateText, mentionCalled } from '../mrkdwn.ts';
import type { CallCard } from './call-card.ts';

/** Builds the message that speaks for many cards of its channel; as a new one it calls their people. */
export function buildBulletin(
  bulletin: Bulletin,
  { isNew }: { readonly isNew: boolean },
): CallCard {
  const { calls, total, waiting } = bulletin;
  const since = dateText(bulletin.since, '{time}');
  const called = isNew && calls.length > 0 ? `${mentionCalled(calls)} ` : '';
  const how = `*${sayWaiting(waiting)}* since ${since}`;
  const text =
    waiting === 0
      ? `:white_check_mark: None of the ${total} calls that came here from ${since} on waits any more.`
      : `:inbox_tray: ${called}${how} · ${total} came in all.\nThey came too fast to call you for each one: please look through the cards here.`;
  const block = { type: 'section', text: { type: 'mrkdwn', text }, expand: true } as const;
  return {
    text: waiting === 0 ? 'No call waits here any more' : sayWaiting(waiting),
    blocks: [block],
  };
}

function sayWaiting(waiting: number): string {
  const calls = waiting === 1 ? '1 call waits' : `${waiting} calls wait`;
  return `${calls} for a decision in this channel`;
}
