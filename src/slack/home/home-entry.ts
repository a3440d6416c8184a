/** One call on Home: our facts and a line of its arguments as data. Nothing in it is markup. */
import type { Button, KnownBlock, RichTextElement } from '@slack/types';
import type { Call, CardPlace } from '../../domain/call.ts';
import { maskingOfCall } from '../../domain/call-secrets.ts';
import { encodeCardToken } from '../../domain/digest.ts';
import { readStoredJson } from '../../domain/json.ts';
import { isQuestion } from '../../domain/outside.ts';
import type { SecretMark } from '../../domain/secret-mark.ts';
import { showName } from '../../domain/visible-text.ts';
import { titleOf } from '../cards/card-facts.ts';
import { asCode, cutBefore, sumPieces } from '../cards/fit-pieces.ts';
import { findLookAlikes } from '../cards/look-alikes.ts';
import { sayOutside } from '../cards/outside-words.ts';
import { type ArgsLook, type DataPiece, renderArgs } from '../cards/render-args.ts';
import { sayStatus } from '../cards/state-words.ts';
import { ACTIONS } from '../ids.ts';
import { BUDGET } from '../limits.ts';
import { threadPlace } from '../thread-place.ts';

/** What an entry takes from elsewhere than its call. */
export interface EntryLook {
  readonly tool: ArgsLook | undefined;
  readonly mark: SecretMark;
  /** Where the call's card stands, if it has one. */
  readonly card: CardPlace | undefined;
  /** Whether its arguments are told too. */
  readonly showsArguments: boolean;
}

/** Makes the entry of a call that waits for a decision: what it is, and the way to decide it. */
export function buildWaitingEntry(call: Call, look: EntryLook): KnownBlock[] {
  const lines = [
    [bold(titleOf(call)), ...riskOf(call), ...votesOf(call)],
    [text('Asked by '), ...askerOf(call), text(' · '), ago(call.createdAt), ...deadlineOf(call)],
    ...(call.status === 'unknown' ? [[text(`${sayStatus(call)}: please say.`)]] : []),
    ...(look.showsArguments ? [argumentsOf(call, look)] : []),
    ...[linkTo(call, look)].filter((line) => line.length > 0),
  ];
  return [
    toBlock(lines),
    { type: 'actions', block_id: `waiting:${call.id}`, elements: buttonsOf(call) },
  ];
}

/** Makes the entry of a call that the person asked for: what it is, and how it stands. */
export function buildAskedEntry(call: Call, look: EntryLook): KnownBlock[] {
  const asker = nameAsker(call);
  const link = linkTo(call, look);
  const args = look.showsArguments ? [argumentsOf(call, look)] : [];
  const lines = [
    [
      bold(titleOf(call)),
      ...(asker === undefined ? [] : [text(` · by ${asker}`)]),
      ...(link.length === 0 ? [] : [text(' · '), ...link]),
    ],
    [
      ...[text(sayStatus(call)), ...verdictOf(call), text(' · '), ago(call.updatedAt)],
      ...[...deadlineOf(call), ...votesOf(call)],
    ],
    ...args,
  ];
  return [toBlock(lines)];
}

/** Returns the address of a call's card, else of its thread; undefined where it has neither. https://docs.slack.dev/reference/methods/chat.getPermalink */
export function linkOf(call: Call, card: CardPlace | undefined): string | undefined {
  const { channel, root } = threadPlace(call.thread);
  const thread = root === undefined ? undefined : { channel, ts: root };
  const place = card ?? thread;
  if (place === undefined) return undefined;
  const link = `https://slack.com/archives/${place.channel}/p${place.ts.replace('.', '')}`;
  const isInThread = thread !== undefined && place.channel === channel && place.ts !== root;
  return isInThread ? `${link}?thread_ts=${root}&cid=${channel}` : link;
}

type Line = readonly RichTextElement[];

function text(words: string): RichTextElement {
  return { type: 'text', text: words };
}

function bold(words: string): RichTextElement {
  return { type: 'text', text: words, style: { bold: true } };
}

/** In the reader's own words and zone. https://docs.slack.dev/reference/block-kit/blocks/rich-text-block#date-element-type */
function date(atMs: number, format: string): RichTextElement {
  const fallback = `${new Date(atMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  return { type: 'date', timestamp: Math.floor(atMs / 1_000), format, fallback };
}

function ago(atMs: number): RichTextElement {
  return date(atMs, '{ago}');
}

/** A question does nothing. */
function riskOf(call: Call): Line {
  if (isQuestion(call)) return [];
  const isHigh = call.risk === 'high';
  const risk: Line = isHigh
    ? [{ type: 'emoji', name: 'warning' }, bold(' high')]
    : [text(call.risk)];
  return [text(' · risk '), ...risk];
}

/** An id that is none is written as text. */
function person(user: string): RichTextElement {
  return /^[A-Z0-9]{1,40}$/.test(user) ? { type: 'user', user_id: user } : text(user);
}

/** Undefined where the thread's own agent asks. */
function nameAsker({ agent, outside }: Call): string | undefined {
  if (outside !== undefined) return sayOutside(outside);
  return agent === undefined ? undefined : `helper ${showName(agent)}`;
}

function askerOf(call: Call): Line {
  const name = nameAsker(call);
  return [...(name === undefined ? [] : [text(`${name}, for `)]), person(call.requester.user)];
}

function deadlineOf(call: Call): Line {
  const { deadlineAt, status } = call;
  if (deadlineAt === undefined || status !== 'pending') return [];
  const what = isQuestion(call) ? 'answer by ' : 'decide by ';
  return [text(' · '), text(what), date(deadlineAt, '{date_short_pretty} at {time}')];
}

function votesOf({ votes, route, status }: Call): Line {
  const quorum = route?.quorum ?? 1;
  if (quorum < 2 || status !== 'pending') return [];
  return [text(` · ${votes.length} of ${quorum} approvals`)];
}

const VERDICTS = {
  approve: 'approved by',
  edit: 'edited and approved by',
  reply: 'by',
  ignore: 'by',
  settle: 'settled by',
} as const;

function verdictOf({ verdict, status }: Call): Line {
  if (verdict === undefined || status === 'pending') return [];
  return [text(` · ${VERDICTS[verdict.kind]} `), person(verdict.by.user)];
}

function linkTo(call: Call, { card }: EntryLook): Line {
  const url = linkOf(call, card);
  const words = card === undefined ? 'Open the thread' : 'Open the card';
  return url === undefined ? [] : [{ type: 'link', url, text: words }];
}

/** The beginning of them, without secrets, and of each the first line; dots say that there is more. */
function argumentsOf(call: Call, { tool, mark }: EntryLook): Line {
  const args = call.args.length > TOO_LONG ? NONE : withoutLong(call.args);
  if (args === NONE && args !== call.args) return [text('Arguments too long for this list …')];
  const masking = maskingOfCall(call, tool, { mark, reveals: false });
  const pieces = renderArgs(args, tool?.schema, masking);
  const line: RichTextElement[] = [];
  let left: number = BUDGET.homeArguments;
  let isCut = args !== call.args;
  for (const piece of pieces) {
    isCut ||= left <= 0;
    if (left <= 0) break;
    const shown = firstOf(piece, left);
    left -= shown.length;
    line.push(...(line.length === 0 ? [] : [text(', ')]), ...shown.elements);
  }
  const lookAlikes = findLookAlikes(sumPieces(pieces).foreign);
  const warned = lookAlikes.some(({ isUsual }) => !isUsual);
  return [...line, ...(isCut ? [text(' …')] : []), ...(warned ? WARNING : [])];
}

const WARNING: Line = [
  text(' · '),
  { type: 'emoji', name: 'warning' },
  text(' looks like something else'),
];

/** What is long would not be told here anyway, and takes time to be looked through. */
const LONG = 4_000;
const TOO_LONG = 20_000;
const NONE = '{}';

function withoutLong(args: string): string {
  if (args.length <= LONG) return args;
  const short = Object.entries(readStoredJson(args) ?? {}).filter(
    ([, value]) => JSON.stringify(value).length <= LONG,
  );
  return JSON.stringify(Object.fromEntries(short));
}

function firstOf({ label, name, text: whole }: DataPiece, left: number) {
  const [first = ''] = whole.split('\n', 1);
  const cut = first.slice(0, cutBefore(first, Math.min(first.length, BUDGET.homeArgument, left)));
  const elements: RichTextElement[] = [
    ...(name === undefined ? [] : [asCode(name.slice(0, BUDGET.homeArgument))]),
    ...(label === '' ? [] : [text(name === undefined ? label : ` · ${label}`)]),
    ...(cut === '' ? [] : [text(' '), asCode(cut)]),
    ...(cut.length < whole.length ? [text('…')] : []),
  ];
  return { elements, length: label.length + (name ?? '').length + cut.length + 2 };
}

function toBlock(lines: readonly Line[]): KnownBlock {
  const elements = lines.flatMap((line, i) => (i === 0 ? line : [text('\n'), ...line]));
  return { type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] };
}

/** What runs, or is of high risk, is read whole first. */
function buttonsOf(call: Call): Button[] {
  const name = titleOf(call);
  const button = (actionId: string, words: string): Button => ({
    type: 'button',
    action_id: actionId,
    text: { type: 'plain_text', text: words, emoji: false },
    value: encodeCardToken(call),
    accessibility_label: `${words} ${name}`.slice(0, 75),
  });
  const allowsIgnore = call.status === 'pending' && call.route?.decisions.includes('ignore');
  const ignore: Button = { ...button(ACTIONS.homeIgnore, 'Ignore'), style: 'danger' };
  return [
    button(ACTIONS.homeReview, 'Review'),
    ...(allowsIgnore && call.risk !== 'high' ? [ignore] : []),
  ];
}
