/** The part of a card that is ours alone: who asks for what, at which risk, until when. */
import type { KnownBlock } from '@slack/types';
import type { Call } from '../../domain/call.ts';
import { shortDigest } from '../../domain/digest.ts';
import { BUDGET, LIMITS } from '../limits.ts';
import { dateText, escapeMrkdwn, mention } from '../mrkdwn.ts';
import { buildPiece, count, cutPiece } from './fit-pieces.ts';
import { type DataPiece, renderText } from './render-args.ts';
import { showName } from './visible-text.ts';

/** Says a tool's name in plain words, with the name itself where they differ. */
export function toPlainWords(tool: string): string {
  const name = showName(tool);
  const words = name.replace(/[_-]+/g, ' ').trim();
  if (words === '' || !/^[A-Za-z0-9 .]+$/.test(words)) return name;
  const plain = `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
  if (plain.toLowerCase() === name.toLowerCase()) return plain;
  const both = `${plain} (${name})`;
  return both.length > LIMITS.headerText ? name : both;
}

/** Makes the header, the facts and the line that led to the call. */
export function buildFacts(call: Call): KnownBlock[] {
  const blocks: KnownBlock[] = [
    { type: 'header', text: { type: 'plain_text', text: toPlainWords(call.tool), emoji: false } },
    { type: 'section', text: { type: 'mrkdwn', text: sayFacts(call) }, expand: true },
  ];
  if (call.askedLine !== '')
    blocks.push(buildPiece(quote('Asked in this message', call.askedLine)));
  if (call.editedBy !== undefined) blocks.push(buildEdited(call, call.editedBy.user));
  if (call.note !== undefined && call.note !== '')
    blocks.push(buildPiece(quote('Note', call.note)));
  return blocks;
}

/** Quotes a text as data, as far as it is short. */
function quote(label: string, text: string, max: number = BUDGET.askedLine): DataPiece {
  return cutPiece(renderText(label, text, { secrets: [], showsLookAlikes: false }), max);
}

const RISKS = { low: 'low', medium: 'medium', high: ':warning: high' } as const;

/** Short lines, one under the other: on a phone Slack sets fields so anyway, and with more room. */
function sayFacts(call: Call): string {
  const lines = [`*Asked by* ${sayAsker(call)} · *risk* ${RISKS[call.risk]}`, whichOne(call)];
  if (call.status === 'pending' && call.deadlineAt !== undefined) {
    lines.push(`*Decide by* ${dateText(call.deadlineAt)}`);
  }
  if (call.route !== undefined && call.route.quorum > 1) lines.push(approvals(call));
  return lines.join('\n');
}

/** Says who asks: a person, or a helper on a person's behalf. */
export function sayAsker({ agent, requester }: Call): string {
  const person = mention(requester.user);
  return agent === undefined ? person : `${escapeMrkdwn(showName(agent))}, for ${person}`;
}

function whichOne(call: Call): string {
  const parts = [`*Call* \`${shortDigest(call.digest)}\``];
  if (call.siblings > 1) parts.push(`${call.position + 1} of ${call.siblings}`);
  if (call.attempt > 1) parts.push(`attempt ${call.attempt}`);
  return parts.join(' · ');
}

const MAX_NAMES = 10;

function approvals(call: Call): string {
  const quorum = call.route?.quorum ?? 1;
  const names = call.votes.slice(0, MAX_NAMES).map((vote) => mention(vote.by.user));
  const more = call.votes.length > MAX_NAMES ? ` and ${call.votes.length - MAX_NAMES} more` : '';
  const who = names.length === 0 ? '' : `: ${names.join(', ')}${more}`;
  const missing = Math.max(0, quorum - call.votes.length);
  return `*Approvals* ${call.votes.length} of ${quorum}${who}${missing === 0 ? '' : ` · ${missing} missing`}`;
}

function buildEdited(call: Call, user: string): KnownBlock {
  const text = `:pencil2: Arguments edited by ${mention(user)} · attempt ${call.attempt}`;
  return { type: 'context', elements: [{ type: 'mrkdwn', text }] };
}

/** Says what in the data could not be seen, or is not shown; nothing when there is nothing to say. */
export function buildWarnings(
  sums: Pick<DataPiece, 'hidden' | 'masked' | 'guessed'>,
  missing: readonly string[],
): KnownBlock[] {
  const lines: string[] = [];
  if (sums.hidden > 0) {
    const what =
      sums.hidden === 1
        ? '1 character that can’t be seen is'
        : `${count(sums.hidden)} characters that can’t be seen are`;
    lines.push(`:warning: ${what} written as \`\\u{…}\`.`);
  }
  if (sums.masked > 0) {
    const what = sums.masked === 1 ? '1 secret is' : `${count(sums.masked)} secrets are`;
    lines.push(`:lock: ${what} not shown; the call uses the true value.`);
  }
  if (sums.guessed > 0) {
    const what = sums.guessed === 1 ? '1 text looks' : `${count(sums.guessed)} texts look`;
    lines.push(`:lock: ${what} like a secret and stands masked here.`);
  }
  lines.push(...missing);
  if (lines.length === 0) return [];
  return [{ type: 'section', text: { type: 'mrkdwn', text: lines.join('\n') }, expand: true }];
}
