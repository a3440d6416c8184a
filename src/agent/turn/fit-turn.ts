/**
 * Makes a turn's own messages fit: nothing that a person or a tool sends may push a request beyond
 * the window. Texts are cut in the middle, with a note in the gap; where that is not enough, whole
 * steps go, a call always together with its answer.
 */
import type { AssistantMessage, ModelCall, TurnMessage } from '../../domain/threads/message.ts';
import { createBoundedOutput } from '../tools/command/bounded-output.ts';
import { BYTES_PER_TOKEN, estimateMessageTokens, estimateTokens } from './estimate-tokens.ts';

/** A turn as the model is given it. */
export interface FittedTurn {
  readonly messages: readonly TurnMessage[];
  /** Whether whole steps are left out. */
  readonly isCut: boolean;
  /** How many bytes of the person's message are left out. */
  readonly userBytesLeftOut: number;
}

/** The least that any turn can be made to fit in. */
export const MIN_TURN_TOKENS = 300;

/** What stays of a text when there is not enough room: an excerpt, and if need be little more than the note. */
const FLOORS = [200, 24];
/** Under this a note says no more than how much is left out. */
const HINT_TOKENS = 80;

/** A text of a turn that can be cut. */
interface Place {
  /** How many tokens of it stand there now. */
  size: number;
  /** What is left of it within so many tokens. */
  cut(tokens: number): string;
  write(text: string): void;
}

/** Makes a turn fit in so many tokens: each call must have its answer right behind its message. */
export function fitTurn(messages: readonly TurnMessage[], tokens: number): FittedTurn {
  const total = estimateMessageTokens(messages);
  if (total <= tokens) return { messages, isCut: false, userBytesLeftOut: 0 };
  const draft = messages.map(copy);
  const places = placesOf(draft);
  let excess = total - tokens;

  function cutTo(place: Place, limit: number): void {
    if (place.size <= limit) return;
    const text = place.cut(limit);
    const size = estimateTokens(text);
    // A note may be longer than what it stands for.
    if (size >= place.size) return;
    place.write(text);
    excess -= place.size - size;
    place.size = size;
  }

  // No single text may crowd out all others.
  for (const place of places) {
    if (excess > 0) cutTo(place, Math.max(Math.floor(tokens / 2), place.size - excess));
  }
  for (const floor of FLOORS) {
    for (const place of places) {
      if (excess > 0) cutTo(place, Math.max(floor, place.size - excess));
    }
  }
  const kept = dropSteps(draft, tokens);
  const user = draft.find(({ role }) => role === 'user');
  const given = messages.find(({ role }) => role === 'user');
  const left = Buffer.byteLength(given?.text ?? '') - Buffer.byteLength(user?.text ?? '');
  return { messages: kept, isCut: kept.length < draft.length, userBytesLeftOut: Math.max(0, left) };
}

type Draft<T> = { -readonly [Key in keyof T]: T[Key] };
type CallDraft = Draft<ModelCall>;
type DraftMessage =
  | Draft<Exclude<TurnMessage, { role: 'assistant' }>>
  | (Draft<Omit<AssistantMessage, 'calls'>> & {
      calls: CallDraft[];
    });

function copy(message: TurnMessage): DraftMessage {
  if (message.role !== 'assistant') return { ...message };
  return { ...message, calls: message.calls.map((call) => ({ ...call })) };
}

/** In the order in which they are cut: what tools said, what the model said, what the person said; the older first. */
function placesOf(draft: readonly DraftMessage[]): readonly Place[] {
  const results: Place[] = [];
  const own: Place[] = [];
  const person: Place[] = [];
  for (const message of draft) {
    const groups = { tool: results, assistant: own, user: person };
    groups[message.role].push(textPlace(message));
    if (message.role === 'assistant') own.push(...message.calls.map(argsPlace));
  }
  return [...results, ...own, ...person];
}

function textPlace(message: DraftMessage): Place {
  const { text } = message;
  return {
    size: estimateTokens(text),
    cut: (tokens) => cutMiddle(text, tokens, hintFor(message)),
    write(left) {
      message.text = left;
    },
  };
}

function hintFor(message: DraftMessage): string {
  switch (message.role) {
    case 'user':
      return ' for length; ask the person to send it in parts if you need them';
    case 'tool':
      return message.tool === 'read_file'
        ? ' for length; read_file with fromLine and lines shows any part'
        : ' for length; call the tool for a smaller part if you need it';
    case 'assistant':
      return ' for length';
  }
}

function cutMiddle(text: string, tokens: number, hint: string): string {
  const note = tokens < HINT_TOKENS ? '' : hint;
  const around = Buffer.byteLength(`\n[… ${text.length * 3} bytes left out${note} …]\n`);
  const half = Math.max(1, Math.floor((tokens * BYTES_PER_TOKEN - around) / 2));
  const kept = createBoundedOutput(half, half);
  kept.add(Buffer.from(text));
  return kept.text(note);
}

function argsPlace(call: CallDraft): Place {
  const { args } = call;
  return {
    size: estimateTokens(args),
    cut: (tokens) => cutArgs(args, tokens),
    write(left) {
      call.args = left;
    },
  };
}

/** Some servers parse the arguments of earlier calls, so what is cut stays JSON. */
function cutArgs(args: string, tokens: number): string {
  const leftOut = `these arguments had ${Buffer.byteLength(args)} bytes`;
  let length = Math.floor(tokens * BYTES_PER_TOKEN);
  for (;;) {
    length = Math.floor(length / 2);
    // Not half of a character at its end.
    const start = args.slice(0, length).replace(/[\ud800-\udbff]$/, '');
    const beginning = length > 40 ? { beginning: start } : {};
    const text = JSON.stringify({ left_out: leftOut, ...beginning });
    if (length <= 40 || estimateTokens(text) <= tokens) return text;
  }
}

/** Drops the oldest steps, and of the last one the oldest calls, until the rest fits. */
function dropSteps(draft: readonly DraftMessage[], tokens: number): readonly TurnMessage[] {
  let kept: readonly TurnMessage[] = draft;
  while (estimateMessageTokens(kept) > tokens) {
    const first = kept.findIndex(({ role }) => role === 'assistant');
    if (first === -1) return kept;
    const next = kept.findIndex(({ role }, at) => at > first && role !== 'tool');
    if (next === -1) return dropCalls(kept, first, tokens);
    kept = [...kept.slice(0, first), ...kept.slice(next)];
  }
  return kept;
}

function dropCalls(
  messages: readonly TurnMessage[],
  at: number,
  tokens: number,
): readonly TurnMessage[] {
  let kept = messages;
  for (;;) {
    const asker = kept[at];
    if (asker?.role !== 'assistant' || asker.calls.length < 2) return kept;
    if (estimateMessageTokens(kept) <= tokens) return kept;
    const [, ...calls] = asker.calls;
    kept = [...kept.slice(0, at), { ...asker, calls }, ...kept.slice(at + 2)];
  }
}
