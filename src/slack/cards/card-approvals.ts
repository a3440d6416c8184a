/** Who has approved a call and why, and for whom it waits. */
import type { KnownBlock, RichTextElement } from '@slack/types';
import type { Call } from '../../domain/call.ts';
import type { Called } from '../../domain/card-home.ts';
import { missingVotes } from '../../domain/decide.ts';
import type { Masking } from '../../domain/mask-secrets.ts';
import type { Outlook } from '../../domain/outlook.ts';
import { isQuestion } from '../../domain/outside.ts';
import { joinSentences, type Sentence, type SentencePart } from '../../domain/sentence.ts';
import { BUDGET } from '../limits.ts';
import { mention, mentionCalled } from '../mrkdwn.ts';
import { writeSentence } from '../write-sentence.ts';
import { cutPiece } from './fit-pieces.ts';
import { renderText } from './render-args.ts';

const MAX_NAMES = 10;

/** Says how many approvals there are, whose are missing, and which can't come; of those who have not decided only `calls` are mentioned, whom a new card calls. */
export function sayApprovals(
  call: Call,
  outlook: Outlook | undefined,
  calls: readonly Called[] = [],
): readonly string[] {
  const lines = call.route !== undefined && call.route.quorum > 1 ? [sayCount(call)] : [];
  if (call.status !== 'pending') return lines;
  const please = isQuestion(call) ? 'Please answer' : 'Please decide';
  if (calls.length > 0) lines.push(`*${please}* ${mentionCalled(calls)}`);
  if (outlook === undefined) return lines;
  if (isForRequester(call) && outlook.gap === undefined) return lines;
  const { awaited, unable, gap } = outlook;
  if (gap !== undefined) return [...lines, `:warning: ${writeSentence(gap, 'quiet')}`];
  if (awaited.length > 0 && calls.length === 0)
    lines.push(`*Waits for* ${sayAwaited(call, awaited)}`);
  if (unable.length > 0) lines.push(`:warning: *Can’t approve* ${list(unable)}`);
  return lines;
}

/** Quotes the reasons that came with approvals. */
export function buildReasons(call: Call, masking: Masking): KnownBlock[] {
  const elements = call.votes.slice(0, MAX_NAMES).flatMap(({ by, reason }) => {
    if (reason === undefined) return [];
    const said = cutPiece(renderText('', reason, masking), BUDGET.reason).text;
    const line: RichTextElement[] = [
      { type: 'text', text: 'Approved by ', style: { bold: true } },
      { type: 'user', user_id: by.user },
      { type: 'text', text: `: ${said}` },
    ];
    return [{ type: 'rich_text_quote' as const, elements: line }];
  });
  return elements.length === 0 ? [] : [{ type: 'rich_text', elements }];
}

/** It says already who asks, and nobody else can decide it. */
function isForRequester({ route }: Call): boolean {
  return route === undefined || route.approvers.every((approver) => approver === 'requester');
}

function sayCount(call: Call): string {
  const quorum = call.route?.quorum ?? 1;
  const names = call.votes.slice(0, MAX_NAMES).map((vote) => mention(vote.by.user));
  const more = call.votes.length > MAX_NAMES ? ` and ${call.votes.length - MAX_NAMES} more` : '';
  const who = names.length === 0 ? '' : `: ${names.join(', ')}${more}`;
  const missing = missingVotes(call);
  return `*Approvals* ${call.votes.length} of ${quorum}${who}${missing === 0 ? '' : ` · ${missing} missing`}`;
}

function sayAwaited(call: Call, awaited: readonly SentencePart[]): string {
  const missing = missingVotes(call);
  if (awaited.length <= missing) return list(awaited);
  return `${missing === 1 ? 'one' : missing} of ${list(awaited)}`;
}

function list(all: readonly (SentencePart | Sentence)[]): string {
  const more = all.length > MAX_NAMES ? ` and ${all.length - MAX_NAMES} more` : '';
  return `${writeSentence(joinSentences(all.slice(0, MAX_NAMES), ', '), 'quiet')}${more}`;
}
