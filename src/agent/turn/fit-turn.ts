/**
 * Fits a turn's own messages into the context window, whatever a person or a tool sends. Cuts texts in
 * the middle and leaves a note in the gap. If that is not enough, drops whole steps, each call together
 * with its answer.
 */
import type { AssistantMessage, ModelCall, TurnMessage } from '../../domain/threads/message.ts';
import { createBoundedOutput } from '../tools/command/bounded-output.ts';
import { BYTES_PER_TOKEN, estimateMessageTokens, estimateTokens } from './estimate-tokens.ts';

/** A turn as sent to the model. */
export interface FittedTurn {
  readonly messages: readonly TurnMessage[];
  /** Whether whole steps were dropped. */
  readonly isCut: boolean;
  /** Bytes cut from the person's message. */
  readonly userBytesLeftOut: number;
}

/** The smallest budget that any turn can be fitted into. */
export const MIN_TURN_TOKENS = 300;

/** Tokens kept of a cut text: first an excerpt, then little more than the note. */
const FLOORS = [200, 24];
/** Below this, the note only says how many bytes were cut. */
const HINT_TOKENS = 80;

/** A text of a turn that can be cut. */
interface CuttableText {
  /** Its current tokens. */
  size: number;
  /** Returns the text cut to this many tokens. */
  cut(tokens: number): string;
  write(text: string): void;
}

/** Fits a turn into this many tokens. Each call's answer must directly follow its message. */
export function fitTurn(messages: readonly TurnMessage[], tokens: number): FittedTurn {
  const total = estimateMessageTokens(messages);
  if (total <= tokens) return { messages, isCut: false, userBytesLeftOut: 0 };
  const draft = messages.map(copy);
  const texts = cuttableTextsOf(draft);
  let excess = total - tokens;

  function cutTo(original: CuttableText, limit: number): void {
    if (original.size <= limit) return;
    const text = original.cut(limit);
    const size = estimateTokens(text);
    // The note may be longer than the text that it replaces.
    if (size >= original.size) return;
    original.write(text);
    excess -= original.size - size;
    original.size = size;
  }

  // No single text may crowd out all others.
  for (const text of texts) {
    if (excess > 0) cutTo(text, Math.max(Math.floor(tokens / 2), text.size - excess));
  }
  for (const floor of FLOORS) {
    for (const text of texts) {
      if (excess > 0) cutTo(text, Math.max(floor, text.size - excess));
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

/**
 * Returns the texts in the order of cutting: tool results, the model's texts, the person's; oldest
 * first.
 */
function cuttableTextsOf(draft: readonly DraftMessage[]): readonly CuttableText[] {
  const results: CuttableText[] = [];
  const own: CuttableText[] = [];
  const person: CuttableText[] = [];
  for (const message of draft) {
    const groups = { tool: results, assistant: own, user: person };
    groups[message.role].push(messageText(message));
    if (message.role === 'assistant') own.push(...message.calls.map(argsText));
  }
  return [...results, ...own, ...person];
}

function messageText(message: DraftMessage): CuttableText {
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

function argsText(call: CallDraft): CuttableText {
  const { args } = call;
  return {
    size: estimateTokens(args),
    cut: (tokens) => cutArgs(args, tokens),
    write(left) {
      call.args = left;
    },
  };
}

/** Cut arguments stay valid JSON: some servers parse the arguments of earlier calls. */
function cutArgs(args: string, tokens: number): string {
  const leftOut = `these arguments had ${Buffer.byteLength(args)} bytes`;
  let length = Math.floor(tokens * BYTES_PER_TOKEN);
  for (;;) {
    length = Math.floor(length / 2);
    // Don't split a surrogate pair.
    const start = args.slice(0, length).replace(/[\ud800-\udbff]$/, '');
    const beginning = length > 40 ? { beginning: start } : {};
    const text = JSON.stringify({ left_out: leftOut, ...beginning });
    if (length <= 40 || estimateTokens(text) <= tokens) return text;
  }
}

/** Drops the oldest steps, then the oldest calls of the last step, until the rest fits. */
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
