/** Who approved a call and why, and whose approval is missing. */
import type { KnownBlock, RichTextElement } from '@slack/types';
import type { Call } from '../../../domain/calls/call.ts';
import type { MentionTarget } from '../../../domain/cards/card-channel.ts';
import type { ApproverAvailability } from '../../../domain/rules/approver-availability.ts';
import { missingApprovalCount } from '../../../domain/rules/decision-rules.ts';
import type { Masking } from '../../../domain/secrets/mask-secrets.ts';
import { joinSentences, type Sentence, type SentencePart } from '../../../domain/text/sentence.ts';
import { BUDGET } from '../../text/limits.ts';
import { mention, mentionTargets } from '../../text/mrkdwn.ts';
import { writeSentence } from '../../text/write-sentence.ts';
import { truncateValue } from '../values/fit-values.ts';
import { renderText } from '../values/render-arguments.ts';

const MAX_NAMES = 10;

/**
 * Describes the approvals so far and the missing ones. Of the people who have not decided, only
 * `calls` are mentioned.
 */
export function describeApprovals(
  call: Call,
  availability: ApproverAvailability | undefined,
  calls: readonly MentionTarget[] = [],
): readonly string[] {
  const lines = call.route !== undefined && call.route.quorum > 1 ? [describeCount(call)] : [];
  if (call.status !== 'pending') return lines;
  if (calls.length > 0) return [...lines, `waiting for ${mentionTargets(calls)}`];
  if (availability === undefined || isForRequester(call) || availability.gap !== undefined)
    return lines;
  const { awaited } = availability;
  return awaited.length === 0
    ? lines
    : [...lines, `waiting for ${describeAwaitedApprovers(call, awaited)}`];
}

/** Builds the warning that a call can't get enough approvals. */
export function buildApproverGapWarning(
  call: Call,
  availability: ApproverAvailability | undefined,
): KnownBlock[] {
  if (call.status !== 'pending' || availability === undefined) return [];
  const { gap, unable } = availability;
  const isAlone = isForRequester(call);
  const gapText = gap === undefined ? undefined : writeSentence(gap, 'quiet');
  const unableText = unable.length === 0 || isAlone ? undefined : `Can’t approve: ${list(unable)}`;
  const text = gapText ?? unableText;
  if (text === undefined) return [];
  return [{ type: 'section', text: { type: 'mrkdwn', text: `:warning: ${text}` }, expand: true }];
}

export function buildReasons(call: Call, masking: Masking): KnownBlock[] {
  const elements = call.votes.slice(0, MAX_NAMES).flatMap(({ by, reason }) => {
    if (reason === undefined) return [];
    const text = truncateValue(renderText('', reason, masking), BUDGET.reason).text;
    const line: RichTextElement[] = [
      { type: 'text', text: 'Approved by ', style: { bold: true } },
      { type: 'user', user_id: by.user },
      { type: 'text', text: `: ${text}` },
    ];
    return [{ type: 'rich_text_quote' as const, elements: line }];
  });
  return elements.length === 0 ? [] : [{ type: 'rich_text', elements }];
}

/** The requester alone decides, and the card already names them. */
function isForRequester({ route }: Call): boolean {
  return route === undefined || route.approvers.every((approver) => approver === 'requester');
}

function describeCount(call: Call): string {
  const quorum = call.route?.quorum ?? 1;
  const names = call.votes.slice(0, MAX_NAMES).map((vote) => mention(vote.by.user));
  const more = call.votes.length > MAX_NAMES ? ` and ${call.votes.length - MAX_NAMES} more` : '';
  const who = names.length === 0 ? '' : ` by ${names.join(', ')}${more}`;
  return `${call.votes.length} of ${quorum} approvals${who}`;
}

/** Names the approvers whose decision is missing, without mentioning them. */
export function describeAwaitedApprovers(call: Call, awaited: readonly SentencePart[]): string {
  const missing = missingApprovalCount(call);
  if (awaited.length <= missing) return list(awaited);
  return `${missing === 1 ? 'one' : missing} of ${list(awaited)}`;
}

function list(all: readonly (SentencePart | Sentence)[]): string {
  const more = all.length > MAX_NAMES ? ` and ${all.length - MAX_NAMES} more` : '';
  return `${writeSentence(joinSentences(all.slice(0, MAX_NAMES), ', '), 'quiet')}${more}`;
}
