/** The entry of a call that waits for the reader of Home. */
import type { Button, KnownBlock } from '@slack/types';
import { encodeCardToken } from '../../domain/calls/digest.ts';
import type { CallListEntry } from '../../domain/cards/call-list-entry.ts';
import { formatCallEntry, visibleCallTitle } from '../cards/call-list-entry.ts';
import { ACTIONS } from '../transport/ids.ts';

/** Builds the line of a pending call and its buttons. */
export function buildWaitingEntry(line: CallListEntry): KnownBlock[] {
  return [
    {
      type: 'rich_text',
      elements: [{ type: 'rich_text_section', elements: formatCallEntry(line, 'mentioned') }],
    },
    { type: 'actions', block_id: `waiting:${line.call.id}`, elements: buttonsOf(line) },
  ];
}

/** Decisions that run something, or are high-risk, require reading the whole call first. */
function buttonsOf({ call, name }: CallListEntry): Button[] {
  const button = (actionId: string, words: string): Button => ({
    type: 'button',
    action_id: actionId,
    text: { type: 'plain_text', text: words, emoji: false },
    value: encodeCardToken(call),
    accessibility_label: `${words} ${visibleCallTitle(name)}`.slice(0, 75),
  });
  const allowsIgnore = call.status === 'pending' && call.route?.decisions.includes('ignore');
  return [
    button(ACTIONS.homeReview, 'Review'),
    ...(allowsIgnore && call.risk !== 'high' ? [button(ACTIONS.homeIgnore, 'Ignore')] : []),
  ];
}
