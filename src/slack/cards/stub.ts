/** The stub in a thread whose card is in another channel: the summary and status, without arguments, results or buttons. */
import type { KnownBlock } from '@slack/types';
import { type Call, type CardPlace, isTerminal } from '../../domain/calls/call.ts';
import { behaviourOf } from '../../domain/calls/call-origin.ts';
import { cardLocationOf } from '../../domain/cards/card-channel.ts';
import type { ApproverAvailability } from '../../domain/rules/approver-availability.ts';
import { linkTo, mentionChannel, toPlainText } from '../text/mrkdwn.ts';
import { describeStatus } from '../text/status-labels.ts';
import { writeSentence } from '../text/write-sentence.ts';
import { ACTIONS } from '../transport/ids.ts';
import type { CallCard } from './call-card.ts';
import { describeAwaitedApprovers } from './sections/approvals.ts';
import { createButtonMaker } from './sections/buttons.ts';
import { cardTitleOf } from './sections/heading.ts';
import { describeStatusOnly, nameInBold, statusIconOf } from './settled-card.ts';

/** What the thread may know about the card. */
export interface StubContext {
  /** Undefined until the card is posted. */
  readonly card: CardPlace | undefined;
  readonly isRefused: boolean;
  /** Who can approve a pending call, if known. */
  readonly availability?: ApproverAvailability | undefined;
  /** All calls of a shared card, this one first. */
  readonly shared?: readonly Call[] | undefined;
}

/**
 * Builds the stub of a call. It has its own Ask Again button, because the requester may have no
 * access to the card.
 */
export function buildStub(call: Call, context: StubContext): CallCard {
  const text = `${describeProgress(call, context)}${describeWhere(call, context)}`;
  const blocks = [section(text)];
  if (call.status === 'expired' && behaviourOf(call).canAskAgain) {
    const again = createButtonMaker(call)(ACTIONS.askAgain, 'Ask Again');
    blocks.push({ type: 'actions', elements: [again] });
  }
  return { text: plainStubText(call), blocks };
}

/** Builds the card that replaces one whose call moved to another channel. */
export function buildMovedCard(call: Call, next: CardPlace): CallCard {
  const where = `${mentionChannel(next.channel)} · ${linkTo(next, 'Open the card')}`;
  const text = `:arrow_right: ${nameInBold(call)} · moved to another channel: decide it in ${where}`;
  return {
    text: `${toPlainText(cardTitleOf(call))}: moved to another channel`,
    blocks: [section(text)],
  };
}

/** Builds the neutral stub that is posted first with `NOTIFICATION_DETAIL=none`. */
export function buildNeutralStub(): CallCard {
  const text = 'A call in this thread is waiting for a decision.';
  return { text, blocks: [section(`:raised_hand: ${text}`)] };
}

function plainStubText(call: Call): string {
  return `${toPlainText(cardTitleOf(call))}: ${describeStatus(call)}`;
}

/** Names the approvers without mentioning them. */
function describeProgress(call: Call, { availability, shared }: StubContext): string {
  if (shared) return describeProgressOfAll(call, shared, availability);
  const name = nameInBold(call);
  if (call.status !== 'pending')
    return `${statusIconOf(call)} ${name} · ${describeStatusOnly(call)}`;
  const [gap] = availability?.gap === undefined ? [] : [writeSentence(availability.gap, 'quiet')];
  if (gap !== undefined) return `${statusIconOf(call)} ${name} · :warning: ${gap}`;
  const awaited =
    availability === undefined ? undefined : describeAwaitedApprovers(call, availability.awaited);
  return `${statusIconOf(call)} ${name}: waiting for ${awaited ?? 'a decision'}`;
}

function describeProgressOfAll(
  lead: Call,
  calls: readonly Call[],
  availability: ApproverAvailability | undefined,
): string {
  const name = `${nameInBold(lead)} and ${calls.length - 1} more`;
  const waiting = calls.filter(({ status }) => status === 'pending');
  const [first] = waiting;
  if (first === undefined) {
    const over = calls.filter(isTerminal).length;
    return over === calls.length
      ? `${statusIconOf(lead)} ${name} · *Settled*`
      : `:gear: ${name} · *Decided*, ${over} of ${calls.length} settled`;
  }
  const awaited =
    availability === undefined ? undefined : describeAwaitedApprovers(first, availability.awaited);
  const count = waiting.length === calls.length ? 'all' : `${waiting.length} of ${calls.length}`;
  return `${statusIconOf(first)} ${name}: ${count} waiting for ${awaited ?? 'a decision'}`;
}

/** Names the channel without a link: readers of the thread may have no access to it. */
function describeWhere(call: Call, context: StubContext): string {
  const { card, isRefused, shared = [call] } = context;
  if (isRefused) return `\n${describeChannelRefusal(call, card)}`;
  if (shared.every(isTerminal)) return '';
  const quorum = call.route?.quorum ?? 1;
  const counts =
    shared.length === 1 && call.status === 'pending' && quorum > 1
      ? ` · ${call.votes.length} of ${quorum}`
      : '';
  const where = mentionChannel(card?.channel ?? cardLocationOf(call).channel);
  const isThere = card === undefined ? ' (the card is being posted)' : '';
  return ` in ${where}${isThere}${counts}`;
}

function describeChannelRefusal(call: Call, card: CardPlace | undefined): string {
  const where = mentionChannel(cardLocationOf(call).channel);
  if (isTerminal(call)) {
    return card === undefined
      ? `The card could not be shown in ${where}.`
      : `The card in ${mentionChannel(card.channel)} could not be updated.`;
  }
  const isDecided = call.status !== 'pending' && call.status !== 'unknown';
  const meanwhile = isDecided ? '' : ' Approvers can decide on my Home tab meanwhile.';
  return `:warning: I can’t show the card in ${where}: invite me there with \`/invite\`, or give the route another channel. I’ll keep trying.${meanwhile}`;
}

function section(text: string): KnownBlock {
  return { type: 'section', text: { type: 'mrkdwn', text }, expand: true };
}
