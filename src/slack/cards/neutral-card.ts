/** The neutral card that is posted first with `NOTIFICATION_DETAIL=none`: it mentions people and does not describe the call. */
import type { Call } from '../../domain/calls/call.ts';
import { maskingOfCall } from '../../domain/calls/call-secrets.ts';
import { mentionTargets } from '../text/mrkdwn.ts';
import type { CallCard, CardContext } from './call-card.ts';
import { notificationText } from './notification-text.ts';

/** Builds the neutral card, which has no buttons. */
export function buildNeutralCard(call: Call, context: CardContext): CallCard {
  const { calls = [], detail = 'summary', mark, availability, tool } = context;
  const masking = maskingOfCall(call, tool, { mark, reveals: false });
  const text = notificationText(call, { detail, masking, availability });
  const mentions = calls.length === 0 ? '' : `${mentionTargets(calls)} `;
  const line = `:raised_hand: ${mentions}${text}`;
  return {
    text,
    blocks: [
      { type: 'section', text: { type: 'mrkdwn', text: line, verbatim: true }, expand: true },
    ],
  };
}
