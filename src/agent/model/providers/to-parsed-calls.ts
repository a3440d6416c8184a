import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { parseStrictJson } from '../../../domain/json/strict-json.ts';

/**
 * Rewrites a conversation for providers that take arguments of earlier calls as objects. Call ids are
 * made valid for the provider and unique in the conversation. Arguments that are not a JSON object
 * are sent as text in `unreadable_arguments`.
 */
export function toParsedCalls(messages: readonly BaseMessage[]): BaseMessage[] {
  const taken = new Set<string>();
  /** New call ids of the last assistant message, keyed by the original ids. */
  let ids = new Map<string, string>();
  return messages.map((message) => {
    if (ToolMessage.isInstance(message)) return withId(message, ids);
    if (HumanMessage.isInstance(message)) return withText(message);
    if (!AIMessage.isInstance(message)) return message;
    ids = new Map();
    return withParsedCalls(message, (id) => {
      const unique = freeId(id, taken);
      taken.add(unique);
      ids.set(id, unique);
      return unique;
    });
  });
}

function withId(message: ToolMessage, ids: ReadonlyMap<string, string>): ToolMessage {
  const { content, tool_call_id: id } = message;
  return new ToolMessage({ content, tool_call_id: ids.get(id) ?? id });
}

/** Providers refuse blank messages. */
function withText(message: HumanMessage): HumanMessage {
  const { content } = message;
  if (typeof content !== 'string' || content.trim() !== '') return message;
  return new HumanMessage('(no text)');
}

function withParsedCalls(message: AIMessage, newId: (id: string) => string): AIMessage {
  const calls = message.additional_kwargs.tool_calls ?? [];
  const { content } = message;
  const text = typeof content === 'string' && content.trim() === '' ? '' : content;
  if (calls.length === 0 && text === '') return new AIMessage('(no text)');
  return new AIMessage({
    content: text,
    tool_calls: calls.map(({ id, function: { name, arguments: args } }) => ({
      id: newId(id),
      name,
      args: toObject(args),
      type: 'tool_call' as const,
    })),
  });
}

function toObject(args: string): Record<string, unknown> {
  if (args.trim() === '') return {};
  const json = parseStrictJson(args);
  const { value } = json.ok ? json : { value: undefined };
  const isObject = value instanceof Object && !Array.isArray(value);
  return isObject ? { ...value } : { unreadable_arguments: args };
}

function freeId(id: string, taken: ReadonlySet<string>): string {
  const valid = id.replace(/[^a-zA-Z0-9_-]/g, '_') || 'call';
  let free = valid;
  for (let count = 2; taken.has(free); count += 1) free = `${valid}_${count}`;
  return free;
}
