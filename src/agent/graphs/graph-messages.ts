/** Converts messages of a graph's state, given as LangChain objects or as JSON. */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { JsonValue } from '../../domain/json/json.ts';
import { toPlainJson, toWellFormed } from '../../domain/json/to-plain-json.ts';
import type { TurnMessage } from '../../domain/threads/message.ts';

/** Key for our metadata in the first message of a turn. Stored in threads: never change it. */
const MARK = 'countersign';

const CONTENT = z.union([
  z.string(),
  z.array(z.union([z.string(), z.looseObject({ type: z.string(), text: z.string().optional() })])),
]);
const AUTHOR = z.object({ team: z.string(), user: z.string(), at: z.number() });

/** https://docs.langchain.com/oss/javascript/langchain/messages */
const MESSAGE = z.object({
  type: z.string(),
  id: z.string().nullish(),
  content: CONTENT,
  name: z.string().nullish(),
  tool_calls: z
    .array(z.object({ id: z.string().nullish(), name: z.string(), args: z.unknown() }))
    .nullish(),
  tool_call_id: z.string().nullish(),
  status: z.string().nullish(),
  additional_kwargs: z.object({ [MARK]: AUTHOR.optional().catch(undefined) }).nullish(),
});

type Read = z.infer<typeof MESSAGE>;
type UserMessage = Extract<TurnMessage, { role: 'user' }>;

/** Converts the first message of a turn for the graph. */
export function toGraphUserMessage({ id, text, author, at }: UserMessage): JsonValue {
  const mark = { team: author.team, user: author.user, at };
  return { type: 'human', id, content: text, additional_kwargs: { [MARK]: mark } };
}

/** A person's message and everything the graph did since. */
export interface GraphTurn {
  readonly id: string;
  readonly messages: readonly TurnMessage[];
}

/**
 * Returns the turn in a state: our last message and all later ones. Undefined if the state has none
 * of our messages.
 */
export function parseGraphTurn(messages: readonly unknown[]): GraphTurn | undefined {
  const all = messages.map(read);
  const start = findStart(all);
  if (!start) return undefined;
  const since = all.slice(start.at + 1);
  return { id: start.user.id, messages: [start.user, ...toTurnMessages(since, start.user.id)] };
}

/**
 * Returns the turn of a state that lost its first message, taken from an earlier state; undefined
 * if that lacks it too.
 */
export function parseGraphTurnSince(
  earlier: readonly unknown[],
  messages: readonly unknown[],
): GraphTurn | undefined {
  const before = earlier.map(read);
  const start = findStart(before);
  if (!start) return undefined;
  const old = new Set(before.slice(0, start.at).map((message) => message?.id));
  const since = messages.map(read).filter((message) => message && !old.has(message.id));
  return { id: start.user.id, messages: [start.user, ...toTurnMessages(since, start.user.id)] };
}

function findStart(all: readonly (Read | undefined)[]) {
  const at = all.findLastIndex((message) => message && toUser(message) !== undefined);
  const user = all[at] && toUser(all[at]);
  return user && { at, user };
}

/**
 * Returns an answer for each of the newest calls, to be added before a new message: providers refuse a
 * call without one. Existing answers are repeated, because new input drops the writes of an unfinished
 * step. Missing answers say `why`.
 */
export function fillMissingAnswers(
  messages: readonly unknown[],
  why: string,
): readonly JsonValue[] {
  return newestCalls(messages).map((call) => closeCall(call, why));
}

/**
 * Answers the newest calls except the `asked` ones. Undefined if those are not among them, for
 * example a helper's.
 */
export function fillOtherAnswers(
  messages: readonly unknown[],
  asked: readonly { readonly tool: string; readonly args: JsonValue }[],
  why: string,
): readonly JsonValue[] | undefined {
  const others = [...newestCalls(messages)];
  for (const { tool, args } of asked) {
    const at = others.findIndex(
      ({ made }) => made.name === tool && isDeepStrictEqual(toPlainJson(made.args), args),
    );
    if (at === -1) return undefined;
    others.splice(at, 1);
  }
  return others.map((call) => closeCall(call, why));
}

interface MadeCall {
  /** Id of the assistant message that contains it. */
  readonly asker: string;
  readonly made: NonNullable<Read['tool_calls']>[number];
  readonly existing: Read | undefined;
}

function newestCalls(messages: readonly unknown[]): readonly MadeCall[] {
  const all = messages.map(read);
  const at = all.findLastIndex((message) => message?.type === 'ai');
  const later = all.slice(at + 1);
  const asker = all[at]?.id ?? `${at}`;
  return (all[at]?.tool_calls ?? []).map((made) => {
    const isAnswer = (each: Read | undefined) =>
      each?.type === 'tool' && each.tool_call_id === made.id;
    return { asker, made, existing: later.find(isAnswer) };
  });
}

function closeCall({ asker, made: { id, name }, existing }: MadeCall, why: string): JsonValue {
  return {
    type: 'tool',
    // Call ids may repeat across messages, and a message replaces another with the same id.
    id: existing?.id ?? `${MARK}-${asker}-${id ?? name}`,
    tool_call_id: id ?? '',
    name,
    content: existing ? textOf(existing) : why,
    status: existing?.status ?? 'error',
  };
}

function read(message: unknown): Read | undefined {
  return MESSAGE.safeParse(message).data;
}

function toUser({ type, id, additional_kwargs, content }: Read): UserMessage | undefined {
  const mark = additional_kwargs?.[MARK];
  if (type !== 'human' || !mark || !id) return undefined;
  const { at, ...author } = mark;
  return { role: 'user', id, text: textOf({ content }), author, at };
}

function toTurnMessages(all: readonly (Read | undefined)[], turn: string): readonly TurnMessage[] {
  const found: TurnMessage[] = [];
  let asker = turn;
  for (const [index, message] of all.entries()) {
    if (message?.type === 'ai') {
      asker = message.id ?? `${turn}#${index}`;
      found.push({
        role: 'assistant',
        id: asker,
        text: textOf(message),
        calls: (message.tool_calls ?? []).map(({ id, name, args }, position) => ({
          id: id ?? `${position}`,
          tool: name,
          args: JSON.stringify(args ?? {}),
        })),
      });
    }
    if (message?.type === 'tool') {
      const callId = message.tool_call_id ?? '';
      found.push({
        role: 'tool',
        id: `${asker}/${callId}`,
        callId,
        tool: message.name ?? '',
        text: textOf(message),
        status: message.status === 'error' ? 'error' : 'ok',
      });
    }
  }
  return found;
}

function textOf({ content }: Pick<Read, 'content'>): string {
  if (typeof content === 'string') return toWellFormed(content);
  const texts = content.map((part) => {
    if (typeof part === 'string') return part;
    return part.type === 'text' ? (part.text ?? '') : '';
  });
  return toWellFormed(texts.join(''));
}
