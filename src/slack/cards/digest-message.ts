import type { KnownBlock } from '@slack/types';
import type { CallListEntry } from '../../domain/cards/call-list-entry.ts';
import type { DigestMessage } from '../../domain/cards/digest-message.ts';
import { dateText, mentionTargets } from '../text/mrkdwn.ts';
import type { CallCard } from './call-card.ts';
import { formatCallList } from './call-list-entry.ts';

/**
 * Builds the message that announces many cards of a channel, with a line for each pending call.
 * Only a new message mentions the approvers.
 */
export function buildDigestMessage(
  digest: DigestMessage,
  { isNew, lines }: { readonly isNew: boolean; readonly lines: readonly CallListEntry[] },
): CallCard {
  const { calls, total, waiting } = digest;
  const since = dateText(digest.since, '{time}');
  if (waiting === 0) {
    const text = `:white_check_mark: No calls are waiting. There have been ${total} since ${since}.`;
    return { text: 'No calls are waiting in this channel', blocks: [section(text)] };
  }
  const mentions = isNew && calls.length > 0 ? `${mentionTargets(calls)} ` : '';
  const period = waiting === total ? 'since' : `of ${total} since`;
  const head = `:inbox_tray: ${mentions}*${describeWaiting(waiting)}* · ${period} ${since}`;
  const more = waiting - lines.length;
  return {
    text: describeWaiting(waiting),
    blocks: [
      section(head),
      ...(lines.length === 0 ? [] : [formatCallList(lines, 'quiet')]),
      ...(more > 0 && lines.length > 0
        ? [context(`… and ${more} more. Their cards are here too.`)]
        : []),
    ],
  };
}

function section(text: string): KnownBlock {
  return { type: 'section', text: { type: 'mrkdwn', text }, expand: true };
}

function context(text: string): KnownBlock {
  return { type: 'context', elements: [{ type: 'mrkdwn', text }] };
}

function describeWaiting(waiting: number): string {
  const calls = waiting === 1 ? '1 call is' : `${waiting} calls are`;
  return `${calls} waiting for a decision in this channel`;
}
