/** Messages of a graph's state, be they the library's objects or their JSON. */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { JsonValue } from '../../domain/json/json.ts';
import { toPlainJson, toWellFormed } from '../../domain/json/to-plain-json.ts';
import type { TurnMessage } from '../../domain/threads/message.ts';

/** Under which name our facts go with the message that begins a turn. */
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

/** Writes the message that begins a turn as the graph takes it. */
export function toGraphUserMessage({ id, text, author, at }: UserMessage): JsonValue {
  const mark = { team: author.team, user: author.user, at };
  return { type: 'human', id, content: text, additional_kwargs: { [MARK]: mark } };
}

/** What a graph did since a person's message. */
export interface GraphTurn {
  readonly id: string;
  readonly messages: readonly TurnMessage[];
}

/** The turn that a state holds: what has come since the last message that we gave it; undefined when it holds none of ours. */
export function parseGraphTurn(messages: readonly unknown[]): GraphTurn | undefined {
  const all = messages.map(read);
  const begun = findBegin(all);
  if (!begun) return undefined;
  const since = all.slice(begun.at + 1);
  return { id: begun.user.id, messages: [begun.user, ...toTurnMessages(since, begun.user.id)] };
}

/** The turn of a state that lacks the message which began it, as an earlier state has it; undefined when that has none either. */
export function parseGraphTurnSince(
  earlier: readonly unknown[],
  messages: readonly unknown[],
): GraphTurn | undefined {
  const before = earlier.map(read);
  const begun = findBegin(before);
  if (!begun) return undefined;
  const old = new Set(before.slice(0, begun.at).map((message) => message?.id));
  const since = messages.map(read).filter((message) => message && !old.has(message.id));
  return { id: begun.user.id, messages: [begun.user, ...toTurnMessages(since, begun.user.id)] };
}

function findBegin(all: readonly (Read | undefined)[]) {
  const at = all.findLastIndex((message) => message && toUser(message) !== undefined);
  const user = all[at] && toUser(all[at]);
  return user && { at, user };
}

/**
 * The answers that a new message must find in place: a provider refuses a conversation in which a
 * call has none. Those that are there are given again, since new input drops what a step that has
 * not ended had written; the others say why there is none.
 */
export function fillMissingAnswers(
  messages: readonly unknown[],
  why: string,
): readonly JsonValue[] {
  return newestCalls(messages).map((call) => closeCall(call, why));
}

/** The answers to the newest calls but those that are asked about; undefined where those are not among them, as when a helper asks. */
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
  /** Id of the message that makes it. */
  readonly asker: string;
  readonly made: NonNullable<Read['tool_calls']>[number];
  /** Its answer, where it has one. */
  readonly there: Read | undefined;
}

function newestCalls(messages: readonly unknown[]): readonly MadeCall[] {
  const all = messages.map(read);
  const at = all.findLastIndex((message) => message?.type === 'ai');
  const later = all.slice(at + 1);
  const asker = all[at]?.id ?? `${at}`;
  return (all[at]?.tool_calls ?? []).map((made) => {
    const isIts = (each: Read | undefined) =>
      each?.type === 'tool' && each.tool_call_id === made.id;
    return { asker, made, there: later.find(isIts) };
  });
}

function closeCall({ asker, made: { id, name }, there }: MadeCall, why: string): JsonValue {
  return {
    type: 'tool',
    // Some models number their calls anew in each message, and one message of a thread replaces another of its id.
    id: there?.id ?? `${MARK}-${asker}-${id ?? name}`,
    tool_call_id: id ?? '',
    name,
    content: there ? textOf(there) : why,
    status: there?.status ?? 'error',
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
