import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { parseStrictJson } from '../../../domain/json/strict-json.ts';

/**
 * Rewrites a conversation for providers that take the arguments of earlier calls as objects and want
 * ids that are theirs in form and unique in the whole conversation. Arguments that are no JSON object
 * go as the text that they were, under `unreadable_arguments`.
 */
export function toParsedCalls(messages: readonly BaseMessage[]): BaseMessage[] {
  const taken = new Set<string>();
  /** New ids of the calls of the message before, by their own. */
  let ids = new Map<string, string>();
  return messages.map((message) => {
    if (ToolMessage.isInstance(message)) return withId(message, ids);
    if (HumanMessage.isInstance(message)) return withWords(message);
    if (!AIMessage.isInstance(message)) return message;
    ids = new Map();
    return parsed(message, (id) => {
      const mine = freeId(id, taken);
      taken.add(mine);
      ids.set(id, mine);
      return mine;
    });
  });
}

function withId(message: ToolMessage, ids: ReadonlyMap<string, string>): ToolMessage {
  const { content, tool_call_id: id } = message;
  return new ToolMessage({ content, tool_call_id: ids.get(id) ?? id });
}

/** A message without words is refused, as is one of spaces. */
function withWords(message: HumanMessage): HumanMessage {
  const { content } = message;
  if (typeof content !== 'string' || content.trim() !== '') return message;
  return new HumanMessage('(no text)');
}

function parsed(message: AIMessage, newId: (id: string) => string): AIMessage {
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
  const fit = id.replace(/[^a-zA-Z0-9_-]/g, '_') || 'call';
  let free = fit;
  for (let count = 2; taken.has(free); count += 1) free = `${fit}_${count}`;
  return free;
}
