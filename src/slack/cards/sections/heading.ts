/** What a call is called on its card, and who asks for it. */
import type { KnownBlock } from '@slack/types';
import type { Call } from '../../../domain/calls/call.ts';
import { isElicitation, isQuestion, type Outside } from '../../../domain/calls/call-origin.ts';
import { isThirdParty, nameCall } from '../../../domain/cards/call-name.ts';
import { readStoredJson } from '../../../domain/json/json.ts';
import type { Outlook } from '../../../domain/people/approver-availability.ts';
import type { Masking } from '../../../domain/secrets/mask-secrets.ts';
import { showHeading, showName, showTitle } from '../../../domain/text/visible-text.ts';
import { BUDGET, LIMITS } from '../../text/limits.ts';
import { escapeMrkdwn, mention } from '../../text/mrkdwn.ts';
import { writeSentence } from '../../text/write-sentence.ts';
import { elicitationTitle } from '../server-question.ts';
import { cutBefore, cutPiece } from '../values/fit-values.ts';
import { renderText } from '../values/render-arguments.ts';
import { buildPieces } from '../values/rich-text-blocks.ts';
import { sayOrigin, sayOutside } from './caller-labels.ts';

/** Says a tool's name in plain words, with the name itself where they differ. */
export function toPlainWords(tool: string, show = showName): string {
  const name = show(tool);
  const words = name.replace(/[_-]+/g, ' ').trim();
  if (words === '' || !/^[A-Za-z0-9 .]+$/.test(words)) return name;
  const plain = `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
  if (plain.toLowerCase() === name.toLowerCase()) return plain;
  const both = `${plain} (${name})`;
  return both.length > LIMITS.headerText ? name : both;
}

/** What a tool is called in a list: in plain words, or whose question it is. */
export function titleOf(call: Call, show = showName): string {
  return isElicitation(call) ? elicitationTitle(call) : toPlainWords(call.tool, show);
}

/** Names a call for people in one plain line in which everything is visible: what it does, as far as we know that, or for a third party's tool who asks and its name. */
export function callName(call: Call): string {
  if (isElicitation(call)) return elicitationTitle(call);
  if (isQuestion(call)) return `Question from ${showTitle(call.outside?.name ?? '')}`;
  const isKnown = call.outside?.by === 'key' && call.summary !== undefined;
  if (isThirdParty(call) && !isKnown) {
    const asker = showTitle(call.outside?.name ?? call.server ?? '');
    return `${asker}: ${showHeading(call.tool)}`;
  }
  if (call.summary === undefined) return toPlainWords(call.tool, showHeading);
  return cutLine(nameCall(call), LIMITS.headerText - HIGH.length);
}

function cutLine(line: string, most: number): string {
  return line.length <= most ? line : `${line.slice(0, cutBefore(line, most - 1))}…`;
}

const HIGH = '⚠ ';

/** Makes the heading: only a high risk is said there. */
export function buildHeading(call: Call, masking: Masking): KnownBlock {
  const question = askedInHeading(call, masking);
  const asker = showTitle(call.outside?.name ?? '');
  const name = question === undefined ? callName(call) : `${asker} asks: ${question}`;
  const isHigh = call.risk === 'high' && !isQuestion(call) && !isElicitation(call);
  const text = `${isHigh ? HIGH : ''}${name}`;
  return { type: 'header', text: { type: 'plain_text', text, emoji: false } };
}

const MAX_QUESTION = 100;

/** The words of a question, where they are its only argument and one plain line: then the heading shows them whole. */
export function askedInHeading(call: Call, masking: Masking): string | undefined {
  if (!isQuestion(call) || isElicitation(call)) return undefined;
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

/** Makes the block that says why a call is there again. A note that names people is our own words whole. */
export function buildNote({ note = '' }: Call, masking: Masking): KnownBlock[] {
  if (note === '') return [];
  if (typeof note === 'string') {
    return buildPieces([cutPiece(renderText('Note', note, masking), BUDGET.note)]);
  }
  const text = `*Note* ${writeSentence(note)}`;
  return [{ type: 'section', text: { type: 'mrkdwn', text }, expand: true }];
}

/** Says who asks: a person, or a helper or a program on a person's behalf; by name where nobody needs to be called. */
export function sayAsker(call: Call, outlook?: Outlook): string {
  return sayWho(call, outlook, sayOutside);
}

/** The same with what is known of a program. */
export function sayAskerWhole(call: Call, outlook?: Outlook): string {
  return sayWho(call, outlook, sayOrigin);
}

function sayWho(
  { agent, outside, requester, work }: Call,
  outlook: Outlook | undefined,
  sayProgram: (outside: Outside) => string,
): string {
  const asker = outlook?.asker;
  const person = asker ? writeSentence(asker, 'quiet') : mention(requester.user);
  if (outside !== undefined) return `${sayProgram(outside)}, for ${person}`;
  if (agent === undefined) return person;
  const which = work && work.siblings > 1 ? ` (work ${work.position + 1} of ${work.siblings})` : '';
  return `helper ${escapeMrkdwn(showName(agent))}${which}, for ${person}`;
}
