import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages';
import { toWellFormed } from '../../../domain/json/to-plain-json.ts';
import type { ModelCall, ProviderFields, TurnMessage } from '../../../domain/threads/message.ts';
import type { PromptMessage } from '../../turn/prompt.ts';
import type { MessageImages } from './load-images.ts';
import { orderRoles } from './order-roles.ts';

/**
 * Converts a prompt to the library's messages. `images` is keyed by message id. Arguments of earlier
 * calls keep their raw text. Provider fields are sent only to the `origin` they came from. Unpaired
 * surrogates are replaced and roles put in order: otherwise servers would refuse every later request.
 */
export function toChatMessages(
  prompt: readonly PromptMessage[],
  images: ReadonlyMap<string, MessageImages>,
  origin?: string,
): readonly BaseMessage[] {
  return orderRoles(prompt.map((message) => toChatMessage(message, images, origin)));
}

/** Returns the provider fields of each assistant message, in order. */
export function providerFieldsOf(
  messages: readonly BaseMessage[],
): readonly (ProviderFields | undefined)[] {
  return messages
    .filter((message) => AIMessage.isInstance(message))
    .map(({ additional_kwargs: { provider } }) => provider as ProviderFields | undefined);
}

function toChatMessage(
  message: PromptMessage,
  images: ReadonlyMap<string, MessageImages>,
  origin: string | undefined,
): BaseMessage {
  switch (message.role) {
    case 'system':
      return new SystemMessage(toWellFormed(message.text));
    case 'user':
      return toHumanMessage(message.text, images.get(message.id));
    case 'tool':
      return new ToolMessage({ content: toWellFormed(message.text), tool_call_id: message.callId });
    case 'assistant':
      return toAssistantMessage(message, origin);
  }
}

function toHumanMessage(text: string, images: MessageImages | undefined): HumanMessage {
  const whole = toWellFormed([text, ...(images?.notes ?? [])].join('\n'));
  // Many servers accept only a string if there is no image.
  if (!images || images.shown.length === 0) return new HumanMessage(whole);
  const parts = images.shown.map(({ mimeType, base64 }) => ({
    type: 'image_url' as const,
    image_url: { url: `data:${mimeType};base64,${base64}` },
  }));
  return new HumanMessage({ content: [{ type: 'text', text: whole }, ...parts] });
}

function toAssistantMessage(
  { text, calls, provider }: Extract<TurnMessage, { role: 'assistant' }>,
  origin: string | undefined,
): AIMessage {
  const chat = new AIMessage(toWellFormed(text));
  const isSameOrigin = provider !== undefined && provider.origin === origin;
  // Not `tool_calls`: the library would serialize its parsed values. Set after construction, because
  // the constructor parses `additional_kwargs.tool_calls`.
  if (calls.length > 0) {
    chat.additional_kwargs.tool_calls = calls.map((call) => toWireCall(call, isSameOrigin));
  }
  if (isSameOrigin && provider.fields) chat.additional_kwargs.provider = provider.fields;
  return chat;
}

function toWireCall({ id, tool, args, fields }: ModelCall, isSameOrigin: boolean) {
  const called = { name: toWireName(tool), arguments: toWellFormed(args) };
  return { ...(isSameOrigin && fields), id, type: 'function' as const, function: called };
}

/** An invented tool name must not make the provider refuse the whole conversation. */
function toWireName(tool: string): string {
  return tool.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unnamed';
}
