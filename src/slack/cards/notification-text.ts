/** The plain text of a card for lock screens and screen readers. */
import type { Call } from '../../domain/calls/call.ts';
import { behaviourOf } from '../../domain/calls/call-origin.ts';
import type { NotificationDetail } from '../../domain/cards/notification-detail.ts';
import { isDirect } from '../../domain/people/sender-policy.ts';
import type { ApproverAvailability } from '../../domain/rules/approver-availability.ts';
import type { Masking } from '../../domain/secrets/mask-secrets.ts';
import { placeOf } from '../../domain/threads/thread-key.ts';
import { BUDGET } from '../text/limits.ts';
import { mentionChannel, toPlainText } from '../text/mrkdwn.ts';
import { describeStatus } from '../text/status-labels.ts';
import { cardTitleOf, describeRequester, questionInHeading } from './sections/heading.ts';
import { asQuoted } from './settled-card.ts';
import { safeCutIndex } from './values/fit-values.ts';
import { renderText } from './values/render-arguments.ts';

/** Everything the text needs that is not stored in the call. */
export interface NotificationContext {
  readonly detail: NotificationDetail;
  readonly masking: Masking;
  readonly availability?: ApproverAvailability | undefined;
}

/** Describes a call for a notification. Only detail `full` includes text from the agent. */
export function notificationText(call: Call, context: NotificationContext): string {
  const asks = behaviourOf(call).asksFor !== 'approval';
  if (context.detail === 'none') return neutralText(call, asks);
  const name = toPlainText(cardTitleOf(call));
  const words = context.detail === 'full' ? describeAgentText(call, context.masking) : '';
  if (call.status !== 'pending') return `${name}: ${describeStatus(call)}.${words}`;
  const { channel } = placeOf(call.thread);
  const where = isDirect(channel) ? '' : ` in ${mentionChannel(channel)}`;
  const question = asks ? 'Answer?' : 'Approve?';
  return `${question} ${name}${describeAwaitedPeople(call, context.availability)}${where}.${words}`;
}

/** For an outside call the title already names the program or server. */
function describeAwaitedPeople(call: Call, availability: ApproverAvailability | undefined): string {
  const { outside, ...rest } = call;
  const who = describeRequester(outside === undefined ? call : rest, availability).replaceAll(
    '`',
    '',
  );
  return outside === undefined ? `. Asked by ${who}` : `, for ${who}`;
}

/**
 * Tells whether the card reveals more than its notification may. The neutral card is then posted
 * first.
 */
export function hidesFirstBlocks(call: Call, detail: NotificationDetail): boolean {
  if (detail === 'full') return false;
  return detail === 'none' || behaviourOf(call).asksFor !== 'approval';
}

function neutralText({ status }: Call, asks: boolean): string {
  if (status !== 'pending') return 'A decided call has been updated.';
  return asks ? 'A question is waiting for an answer.' : 'A call is waiting for a decision.';
}

function describeAgentText(call: Call, masking: Masking): string {
  const question = questionInHeading(call, masking);
  const words = asQuoted(question ?? call.words.slice(0, MAX_QUOTED));
  const { text } = renderText('', words, masking);
  if (text === '') return '';
  const most = BUDGET.words;
  const shown = text.length <= most ? text : `${text.slice(0, safeCutIndex(text, most))}…`;
  return ` It says: “${toPlainText(shown)}”`;
}

const MAX_QUOTED = 2_000;
