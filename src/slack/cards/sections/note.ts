/** The small line below a card: who asked where and with which words, whose approvals there are, until when, which call it is. */
import type { KnownBlock } from '@slack/types';
import type { Call, CardPlace, EarlierCall } from '../../../domain/calls/call.ts';
import { isElicitation, isQuestion } from '../../../domain/calls/call-origin.ts';
import { shortDigest } from '../../../domain/calls/digest.ts';
import type { Called } from '../../../domain/cards/card-channel.ts';
import type { Outlook } from '../../../domain/people/approver-availability.ts';
import { isDirect } from '../../../domain/people/sender-policy.ts';
import type { Masking } from '../../../domain/secrets/mask-secrets.ts';
import { showName } from '../../../domain/text/visible-text.ts';
import { BUDGET } from '../../text/limits.ts';
import { dateText, linkTo, mention, mentionChannel } from '../../text/mrkdwn.ts';
import { elicitationFacts } from '../server-question.ts';
import { asQuoted } from '../settled-card.ts';
import { cutPiece } from '../values/fit-values.ts';
import { renderText } from '../values/render-arguments.ts';
import { sayApprovals } from './approvals.ts';
import { sayAskerWhole } from './heading.ts';

/** What the note takes from elsewhere than the call. */
export interface NoteLook {
  readonly outlook?: Outlook;
  /** The message whose thread made the call, if the card is in another place. */
  readonly asked?: CardPlace;
  /** Those whom a new card calls. */
  readonly calls?: readonly Called[];
  /** It is for several calls: what tells them apart is said of each. */
  readonly isShared?: true;
}

/** Makes the note. Words of people and agents in it are plain text, which is not parsed. */
export function buildCardNote(call: Call, masking: Masking, look: NoteLook = {}): KnownBlock {
  const isHelper = call.work !== undefined;
  const facts = sayFacts(call, look).join(' · ');
  const elements = [
    words(sayAsked(call, look)),
    ...quote(call.askedLine, masking),
    ...(isHelper ? [words('Its work, in an agent’s words:')] : []),
    ...quote(call.work?.line ?? '', masking),
    ...(facts === '' ? [] : [words(facts)]),
  ];
  return { type: 'context', elements };
}

function words(text: string) {
  return { type: 'mrkdwn' as const, text, verbatim: true };
}

function quote(text: string, masking: Masking) {
  const line = asQuoted(text);
  if (line === '') return [];
  const shown = cutPiece(renderText('', line, masking), BUDGET.askedLine);
  const quoted = `“${shown.text}${shown.label === '' ? '' : '…'}”`;
  return [{ type: 'plain_text' as const, text: quoted, emoji: false }];
}

function sayAsked(call: Call, { asked, outlook }: NoteLook): string {
  if (isElicitation(call)) return elicitationFacts(call).join('\n');
  const who = sayAskerWhole(call, outlook);
  const server =
    call.server === undefined ? '' : `, with a tool of the MCP server \`${showName(call.server)}\``;
  return `Asked by ${who}${sayWhere(asked)}${server}`;
}

/** Nobody else can follow a link into a direct message. */
function sayWhere(asked: CardPlace | undefined): string {
  if (asked === undefined) return '';
  if (isDirect(asked.channel)) return ' in a direct message';
  return ` in ${mentionChannel(asked.channel)} (${linkTo(asked, 'open the thread')})`;
}

function sayFacts(call: Call, { calls, isShared, outlook }: NoteLook): readonly string[] {
  const { attempt, deadlineAt, digest, earlier, position, siblings, status } = call;
  const facts = [
    ...sayApprovals(call, outlook, calls),
    ...(status === 'pending' && deadlineAt !== undefined ? [sayUntil(call, deadlineAt)] : []),
  ];
  if (isShared) return facts;
  return [
    ...(earlier === undefined ? [] : [sayEarlier(earlier)]),
    ...facts,
    ...(siblings > 1 ? [`call ${position + 1} of ${siblings}`] : []),
    ...(attempt > 1 ? [`attempt ${attempt}`] : []),
    `\`${shortDigest(digest)}\``,
  ];
}

function sayUntil(call: Call, deadlineAt: number): string {
  const what = isQuestion(call) || isElicitation(call) ? 'answer by' : 'until';
  return `${what} ${dateText(deadlineAt)}`;
}

const ANSWERS = {
  edit: 'was edited',
  reply: 'was answered instead of approved',
  ignore: 'was ignored',
} as const;

/** Says what people did with a call like this one. */
export function sayEarlier({ likeness, how, by, at }: EarlierCall): string {
  const what = likeness === 'same' ? 'The same call' : 'A call like this';
  return `:repeat: ${what} ${ANSWERS[how]} by ${mention(by.user)} · ${dateText(at)}`;
}
