/** Messages of a graph's state, be they the library's objects or their JSON. */
import { z } from 'zod';
import type { JsonValue } from '../../domain/json.ts';
import type { TurnMessage } from '../../domain/message.ts';
import { toWhole } from '../../domain/to-plain-json.ts';

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
export function writeUserMessage({ id, text, author, at }: UserMessage): JsonValue {
  const mark = { team: author.team, user: author.user, at };
  return { type: 'human', id, content: text, additional_kwargs: { [MARK]: mark } };
}

/** The turn that a state holds: what has come since the last message that we gave it; undefined when it holds none of ours. */
export function readTurn(
  messages: readonly unknown[],
): { readonly id: string; readonly messages: readonly TurnMessage[] } | undefined {
  const all = messages.map(read);
  const start = all.findLastIndex((message) => message && toUser(message) !== undefined);
  const user = all[start] && toUser(all[start]);
  if (!user) return undefined;
  return { id: user.id, messages: [user, ...toTurnMessages(all.slice(start + 1), user.id)] };
}

/**
 * The answers that a new message must find in place: a provider refuses a conversation in which a
 * call has none. Those that are there are given again, since new input drops what a step that has
 * not ended had written; the others say why there is none.
 */
export function closeCalls(messages: readonly unknown[], why: string): readonly JsonValue[] {
  const all = messages.map(read);
  const at = all.findLastIndex((message) => message?.type === 'ai');
  const calls = all[at]?.tool_calls ?? [];
  const later = all.slice(at + 1);
  return calls.map(({ id, name }) => {
    const there = later.find((each) => each?.type === 'tool' && each.tool_call_id === id);
    return {
      type: 'tool',
      id: there?.id ?? `${MARK}-${id ?? name}`,
      tool_call_id: id ?? '',
      name,
      content: there ? textOf(there) : why,
      status: there?.status ?? 'error',
    };
  });
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
  if (typeof content === 'string') return toWhole(content);
  const texts = content.map((part) => {
    if (typeof part === 'string') return part;
    return part.type === 'text' ? (part.text ?? '') : '';
  });
  return toWhole(texts.join(''));
}
