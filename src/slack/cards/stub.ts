/** What stands in a thread for a card that stands elsewhere, and for one that has gone on: no arguments, no result, nothing to decide with. */
import type { KnownBlock } from '@slack/types';
import { type Call, type CardPlace, isTerminal } from '../../domain/call.ts';
import { homeOf } from '../../domain/card-home.ts';
import { encodeCardToken, shortDigest } from '../../domain/digest.ts';
import type { Outlook } from '../../domain/outlook.ts';
import { canAskAgain } from '../../domain/outside.ts';
import { showName } from '../../domain/visible-text.ts';
import { ACTIONS } from '../ids.ts';
import { escapeMrkdwn, linkTo, mentionChannel } from '../mrkdwn.ts';
import type { CallCard } from './call-card.ts';
import { sayApprovals } from './card-approvals.ts';
import { toPlainWords } from './card-facts.ts';
import { sayState } from './card-foot.ts';
import { sayStatus } from './state-words.ts';

/** Where the card is, as far as it is there. */
export interface StubLook {
  /** Undefined until the card is there. */
  readonly card: CardPlace | undefined;
  readonly isRefused: boolean;
  /** Whom a pending call waits for, where that is known. */
  readonly outlook?: Outlook | undefined;
}

/** Builds the stub of a call; whoever asked can ask for an expired one again, for they may not see its card. */
export function buildStub(call: Call, look: StubLook): CallCard {
  const awaited = sayApprovals(call, look.outlook);
  const lines = [nameOf(call), sayState(call), ...awaited, sayWhere(call, look)];
  const blocks = [section(lines.join('\n'))];
  if (call.status === 'expired' && canAskAgain(call)) {
    const text = { type: 'plain_text' as const, text: 'Ask again', emoji: false };
    const value = encodeCardToken(call);
    const button = { type: 'button' as const, action_id: ACTIONS.askAgain, text, value };
    blocks.push({ type: 'actions', elements: [button] });
  }
  return { text: `${showName(call.tool)}: ${sayStatus(call)}`, blocks };
}

/** Builds what a card becomes whose call is decided in another channel from now on. */
export function buildMovedCard(call: Call, next: CardPlace): CallCard {
  const where = `${mentionChannel(next.channel)} · ${linkTo(next, 'Open the card')}`;
  const text = `${nameOf(call)}\n:arrow_right: *Gone on to another channel*: it is decided in ${where}`;
  return { text: `${showName(call.tool)}: gone on to another channel`, blocks: [section(text)] };
}

function nameOf(call: Call): string {
  return `*${escapeMrkdwn(toPlainWords(call.tool))}* · call \`${shortDigest(call.digest)}\``;
}

function sayWhere(call: Call, { card, isRefused }: StubLook): string {
  const { channel } = homeOf(call);
  if (isRefused) return sayRefused(call, card);
  if (card === undefined) return `The card is on its way to ${mentionChannel(channel)}.`;
  return `${linkTo(card, 'Open the card')} in ${mentionChannel(card.channel)}`;
}

function sayRefused(call: Call, card: CardPlace | undefined): string {
  const where = mentionChannel(homeOf(call).channel);
  if (isTerminal(call)) {
    return card === undefined
      ? `The card could not be shown in ${where}.`
      : `${linkTo(card, 'Open the card')} in ${mentionChannel(card.channel)}; it could not be brought up to date.`;
  }
  const isDecided = call.status !== 'pending' && call.status !== 'unknown';
  const meanwhile = isDecided ? '' : ' Whoever may decide it can do so on my Home tab meanwhile.';
  return `:warning: I can’t show the card in ${where}: invite me there with \`/invite\`, or give the route another channel. I keep trying.${meanwhile}`;
}

function section(text: string): KnownBlock {
  return { type: 'section', text: { type: 'mrkdwn', text }, expand: true };
}
