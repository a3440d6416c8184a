/** The part of a card that is ours alone: who asks for what, at which risk, until when. */
import type { KnownBlock } from '@slack/types';
import type { Call, CardPlace, EarlierCall } from '../../domain/call.ts';
import type { Called } from '../../domain/card-home.ts';
import { shortDigest } from '../../domain/digest.ts';
import type { Masking } from '../../domain/mask-secrets.ts';
import type { Outlook } from '../../domain/outlook.ts';
import { isElicitation, isQuestion, type Outside } from '../../domain/outside.ts';
import { isDirect } from '../../domain/talk.ts';
import { showHeading, showName } from '../../domain/visible-text.ts';
import { BUDGET, LIMITS } from '../limits.ts';
import { dateText, escapeMrkdwn, linkTo, mention, mentionChannel } from '../mrkdwn.ts';
import { writeSentence } from '../write-sentence.ts';
import { sayApprovals } from './card-approvals.ts';
import { elicitationFacts, elicitationTitle } from './elicitation.ts';
import { buildPieces, cutPiece } from './fit-pieces.ts';
import { sayOrigin, sayOutside } from './outside-words.ts';
import { type DataPiece, renderText } from './render-args.ts';

/** What the facts take from elsewhere than the call. */
export interface FactsLook {
  readonly outlook?: Outlook;
  /** The message in whose thread the call was made, where the card stands elsewhere. */
  readonly asked?: CardPlace;
  /** Those whom a new card calls. */
  readonly calls?: readonly Called[];
}

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

/** What a call is called at the top of its card: its tool, or whose question it is. */
export function titleOf(call: Call, show = showName): string {
  return isElicitation(call) ? elicitationTitle(call) : toPlainWords(call.tool, show);
}

/** Makes the header, the facts and the line that led to the call. */
export function buildFacts(call: Call, masking: Masking, look: FactsLook = {}): KnownBlock[] {
  const { askedLine, work } = call;
  const quoted = [
    ...(askedLine === '' ? [] : [quote('Asked in this message', askedLine, masking)]),
    ...(work === undefined ? [] : [quote(WORK, work.line, masking)]),
  ];
  return [
    {
      type: 'header',
      text: { type: 'plain_text', text: titleOf(call, showHeading), emoji: false },
    },
    { type: 'section', text: { type: 'mrkdwn', text: sayFacts(call, look) }, expand: true },
    ...buildPieces(quoted),
    ...buildNote(call, masking),
  ];
}

/** An agent's words too: they say which work it is, and prove nothing. */
const WORK = 'For this work, in an agent’s words';

/** Makes the block that says why a call is there again. A note that names people is our own words whole. */
export function buildNote({ note = '' }: Call, masking: Masking): KnownBlock[] {
  if (note === '') return [];
  if (typeof note === 'string') return buildPieces([quote('Note', note, masking, BUDGET.note)]);
  const text = `*Note* ${writeSentence(note)}`;
  return [{ type: 'section', text: { type: 'mrkdwn', text }, expand: true }];
}

/** Quotes a text as data, as far as it is short. */
function quote(
  label: string,
  text: string,
  masking: Masking,
  most: number = BUDGET.askedLine,
): DataPiece {
  return cutPiece(renderText(label, text, masking), most);
}

const RISKS = { low: 'low', medium: 'medium', high: ':warning: high' } as const;

/** Short lines, one under the other: on a phone Slack sets fields so anyway, and with more room. */
function sayFacts(call: Call, { asked, calls, outlook }: FactsLook): string {
  if (isElicitation(call)) return elicitationFacts(call).join('\n');
  const lines = [
    `*Asked by* ${sayWho(call, outlook, sayOrigin)}${sayRisk(call)}`,
    ...(call.server === undefined ? [] : [`*Tool of* the MCP server \`${showName(call.server)}\``]),
    ...(asked === undefined ? [] : [sayWhere(asked)]),
    whichOne(call),
  ];
  if (call.status === 'pending' && call.deadlineAt !== undefined) {
    const what = isQuestion(call) ? 'Answer by' : 'Decide by';
    lines.push(`*${what}* ${dateText(call.deadlineAt)}`);
  }
  lines.push(...sayApprovals(call, outlook, calls));
  if (call.earlier !== undefined) lines.push(sayEarlier(call.earlier));
  return lines.join('\n');
}

/** A question does nothing. */
function sayRisk(call: Call): string {
  return isQuestion(call) ? '' : ` · *risk* ${RISKS[call.risk]}`;
}

/** Nobody else can follow a link into a direct message. */
function sayWhere(asked: CardPlace): string {
  if (isDirect(asked.channel)) return '*Asked in* a direct message';
  return `*Asked in* ${mentionChannel(asked.channel)} · ${linkTo(asked, 'open the thread')}`;
}

/** Says who asks: a person, or a helper or a program on a person's behalf; by name where nobody needs to be called. */
export function sayAsker(call: Call, outlook?: Outlook): string {
  return sayWho(call, outlook, sayOutside);
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

function whichOne(call: Call): string {
  const parts = [`*Call* \`${shortDigest(call.digest)}\``];
  if (call.siblings > 1) parts.push(`${call.position + 1} of ${call.siblings}`);
  if (call.attempt > 1) parts.push(`attempt ${call.attempt}`);
  return parts.join(' · ');
}

const ANSWERS = {
  edit: 'was edited',
  reply: 'was answered instead of approved',
  ignore: 'was ignored',
} as const;

function sayEarlier({ likeness, how, by, at }: EarlierCall): string {
  const what = likeness === 'same' ? 'The same call' : 'A call like this';
  return `:repeat: ${what} ${ANSWERS[how]} by ${mention(by.user)} · ${dateText(at)}`;
}
