/** The title of a card, and who asks. */
import type { KnownBlock } from '@slack/types';
import type { Call } from '../../../domain/calls/call.ts';
import { behaviourOf, type CallOrigin } from '../../../domain/calls/call-origin.ts';
import { callTitle, isThirdParty } from '../../../domain/cards/call-name.ts';
import { readStoredJson } from '../../../domain/json/json.ts';
import type { ApproverAvailability } from '../../../domain/rules/approver-availability.ts';
import type { Masking } from '../../../domain/secrets/mask-secrets.ts';
import {
  escapeHeading,
  escapeProgramName,
  escapeToolName,
} from '../../../domain/text/visible-text.ts';
import { callerLabel, describeOrigin } from '../../text/caller-labels.ts';
import { BUDGET, LIMITS } from '../../text/limits.ts';
import { escapeMrkdwn, mention } from '../../text/mrkdwn.ts';
import { writeSentence } from '../../text/write-sentence.ts';
import { serverQuestionTitle } from '../server-question.ts';
import { safeCutIndex, truncateValue } from '../values/fit-values.ts';
import { renderText } from '../values/render-arguments.ts';
import { buildValueBlock } from '../values/rich-text-blocks.ts';

/** Turns a tool's name into plain words, followed by the name itself if they differ. */
export function describeToolName(tool: string, show = escapeToolName): string {
  const name = show(tool);
  const words = name.replace(/[_-]+/g, ' ').trim();
  if (words === '' || !/^[A-Za-z0-9 .]+$/.test(words)) return name;
  const plain = `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
  if (plain.toLowerCase() === name.toLowerCase()) return plain;
  const both = `${plain} (${name})`;
  return both.length > LIMITS.headerText ? name : both;
}

/** Returns the title of a call for lists. */
export function listTitleOf(call: Call, show = escapeToolName): string {
  return behaviourOf(call).asksFor === 'form'
    ? serverQuestionTitle(call)
    : describeToolName(call.tool, show);
}

/**
 * Returns a call's title on one line, with invisible characters escaped. For a third party's tool
 * it is the caller and the tool name.
 */
export function cardTitleOf(call: Call): string {
  if (behaviourOf(call).asksFor === 'form') return serverQuestionTitle(call);
  if (behaviourOf(call).asksFor === 'text')
    return `Question from ${escapeProgramName(call.outside?.name ?? '')}`;
  const isKnown = call.outside?.by === 'key' && call.summary !== undefined;
  if (isThirdParty(call) && !isKnown) {
    const asker = escapeProgramName(call.outside?.name ?? call.server ?? '');
    return `${asker}: ${escapeHeading(call.tool)}`;
  }
  if (call.summary === undefined) return describeToolName(call.tool, escapeHeading);
  return cutLine(callTitle(call), LIMITS.headerText - HIGH.length);
}

function cutLine(line: string, most: number): string {
  return line.length <= most ? line : `${line.slice(0, safeCutIndex(line, most - 1))}…`;
}

const HIGH = '⚠ ';

/** Builds the heading. Only high risk is marked. */
export function buildHeading(call: Call, masking: Masking): KnownBlock {
  const question = questionInHeading(call, masking);
  const asker = escapeProgramName(call.outside?.name ?? '');
  const name = question === undefined ? cardTitleOf(call) : `${asker} asks: ${question}`;
  const isHigh = call.risk === 'high' && behaviourOf(call).asksFor === 'approval';
  const text = `${isHigh ? HIGH : ''}${name}`;
  return { type: 'header', text: { type: 'plain_text', text, emoji: false } };
}

const MAX_QUESTION = 100;

/**
 * Returns the text of a question that fits the heading in full: its only argument, and one plain
 * line.
 */
export function questionInHeading(call: Call, masking: Masking): string | undefined {
  if (behaviourOf(call).asksFor !== 'text') return undefined;
  const args = readStoredJson(call.args);
  const values = typeof args === 'object' && args !== null ? Object.values(args) : [];
  const [text] = values;
  if (values.length !== 1 || typeof text !== 'string' || text.trim() !== text) return undefined;
  if (text === '' || text.length > MAX_QUESTION || /[\n<>`*_~]|:\S+:|:\/\/| {2}/.test(text)) {
    return undefined;
  }
  const { hidden, secrets, text: shown } = renderText('', text, masking);
  const isPlain = hidden === 0 && shown === text && secrets.guessed + secrets.claimed === 0;
  return isPlain && secrets.hidden === 0 ? text : undefined;
}

/**
 * Builds the block that says why a call is back. A note given as a sentence is entirely our own
 * text.
 */
export function buildNote({ note = '' }: Call, masking: Masking): KnownBlock[] {
  if (note === '') return [];
  if (typeof note === 'string') {
    return buildValueBlock([truncateValue(renderText('Note', note, masking), BUDGET.note)]);
  }
  const text = `*Note* ${writeSentence(note)}`;
  return [{ type: 'section', text: { type: 'mrkdwn', text }, expand: true }];
}

/**
 * Describes who asks: a person, or a helper or program on behalf of one. People are mentioned only
 * if they must be notified.
 */
export function describeRequester(call: Call, availability?: ApproverAvailability): string {
  return describeRequesterBy(call, availability, callerLabel);
}

/** Like `describeRequester`, with what is known of a program. */
export function describeRequesterInFull(call: Call, availability?: ApproverAvailability): string {
  return describeRequesterBy(call, availability, describeOrigin);
}

function describeRequesterBy(
  { agent, outside, requester, work }: Call,
  availability: ApproverAvailability | undefined,
  describeProgram: (outside: CallOrigin) => string,
): string {
  const asker = availability?.asker;
  const person = asker ? writeSentence(asker, 'quiet') : mention(requester.user);
  if (outside !== undefined) return `${describeProgram(outside)}, for ${person}`;
  if (agent === undefined) return person;
  const which = work && work.siblings > 1 ? ` (task ${work.position + 1} of ${work.siblings})` : '';
  return `helper ${escapeMrkdwn(escapeToolName(agent))}${which}, for ${person}`;
}
