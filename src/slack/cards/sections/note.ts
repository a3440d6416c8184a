/**
 * The small line below a card: who asked and where, the approvals, the deadline, and which call it
 * is.
 */
import type { KnownBlock } from '@slack/types';
import type { Call, CardPlace, SimilarCall } from '../../../domain/calls/call.ts';
import { behaviourOf } from '../../../domain/calls/call-origin.ts';
import { shortDigest } from '../../../domain/calls/digest.ts';
import type { MentionTarget } from '../../../domain/cards/card-channel.ts';
import { isDirect } from '../../../domain/people/sender-policy.ts';
import type { ApproverAvailability } from '../../../domain/rules/approver-availability.ts';
import type { Masking } from '../../../domain/secrets/mask-secrets.ts';
import { escapeToolName } from '../../../domain/text/visible-text.ts';
import { BUDGET } from '../../text/limits.ts';
import { dateText, linkTo, mention, mentionChannel } from '../../text/mrkdwn.ts';
import { serverQuestionFacts } from '../server-question.ts';
import { asQuoted } from '../settled-card.ts';
import { truncateValue } from '../values/fit-values.ts';
import { renderText } from '../values/render-arguments.ts';
import { describeApprovals } from './approvals.ts';
import { describeRequesterInFull } from './heading.ts';

/** What the note shows that is not stored in the call. */
export interface NoteContext {
  readonly availability?: ApproverAvailability;
  /** The message whose thread made the call, if the card is elsewhere. */
  readonly asked?: CardPlace;
  /** The people whom a new card mentions. */
  readonly calls?: readonly MentionTarget[];
  /** Whether it is for several calls. Facts that differ between them are then left out. */
  readonly isShared?: true;
}

/** Builds the note. Text from people and agents is plain text, which Slack does not parse. */
export function buildCardNote(call: Call, masking: Masking, context: NoteContext = {}): KnownBlock {
  const isHelper = call.work !== undefined;
  const facts = describeFacts(call, context).join(' · ');
  const elements = [
    words(describeAsked(call, context)),
    ...quote(call.askedLine, masking),
    ...(isHelper ? [words('Task, as written by an agent:')] : []),
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
  const shown = truncateValue(renderText('', line, masking), BUDGET.askedLine);
  const quoted = `“${shown.text}${shown.label === '' ? '' : '…'}”`;
  return [{ type: 'plain_text' as const, text: quoted, emoji: false }];
}

function describeAsked(call: Call, { asked, availability }: NoteContext): string {
  if (behaviourOf(call).asksFor === 'form') return serverQuestionFacts(call).join('\n');
  const who = describeRequesterInFull(call, availability);
  const server =
    call.server === undefined
      ? ''
      : `, with a tool of the MCP server \`${escapeToolName(call.server)}\``;
  return `Asked by ${who}${describeWhere(asked)}${server}`;
}

/** A link into a direct message would not work for others. */
function describeWhere(asked: CardPlace | undefined): string {
  if (asked === undefined) return '';
  if (isDirect(asked.channel)) return ' in a direct message';
  return ` in ${mentionChannel(asked.channel)} (${linkTo(asked, 'open the thread')})`;
}

function describeFacts(
  call: Call,
  { calls, isShared, availability }: NoteContext,
): readonly string[] {
  const { attempt, deadlineAt, digest, earlier, position, siblings, status } = call;
  const facts = [
    ...describeApprovals(call, availability, calls),
    ...(status === 'pending' && deadlineAt !== undefined
      ? [describeDeadline(call, deadlineAt)]
      : []),
  ];
  if (isShared) return facts;
  return [
    ...(earlier === undefined ? [] : [describeSimilarCall(earlier)]),
    ...facts,
    ...(siblings > 1 ? [`call ${position + 1} of ${siblings}`] : []),
    ...(attempt > 1 ? [`version ${attempt}`] : []),
    `\`${shortDigest(digest)}\``,
  ];
}

function describeDeadline(call: Call, deadlineAt: number): string {
  const what = behaviourOf(call).asksFor !== 'approval' ? 'answer by' : 'until';
  return `${what} ${dateText(deadlineAt)}`;
}

const VERDICTS = {
  edit: 'was edited',
  reply: 'was answered instead of approved',
  ignore: 'was ignored',
} as const;

/** Describes what people decided about a similar call. */
export function describeSimilarCall({ likeness, how, by, at }: SimilarCall): string {
  const what = likeness === 'same' ? 'The same call' : 'A call like this';
  return `:repeat: ${what} ${VERDICTS[how]} by ${mention(by.user)} · ${dateText(at)}`;
}
