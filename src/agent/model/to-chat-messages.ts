import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages';
import { toWellFormed } from '../../domain/json/to-plain-json.ts';
import type { ModelCall, ProviderFields, TurnMessage } from '../../domain/threads/message.ts';
import type { PromptMessage } from '../turn/prompt.ts';
import type { MessageImages } from './load-images.ts';
import { orderRoles } from './order-roles.ts';

/**
 * Writes a prompt as the library's messages, with the images of people's messages by their ids; the
 * arguments of earlier calls go out as the text that came in. What a provider needs
 * back goes to the `origin` that it came from. Halves of characters are marked: model
 * servers refuse a conversation that holds one, and it would hold it in every request from then on.
 * For the same reason the roles are put in order.
 */
export function toChatMessages(
  prompt: readonly PromptMessage[],
  images: ReadonlyMap<string, MessageImages>,
  origin?: string,
): readonly BaseMessage[] {
  return orderRoles(prompt.map((message) => toChatMessage(message, images, origin)));
}

/** Returns what belongs to each message of the assistant, in their order. */
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
  // Many servers take nothing but a string where there is no image.
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
  const isTheirs = provider !== undefined && provider.origin === origin;
  // Not `tool_calls`: those are parsed values that the library would write anew. Set afterwards,
  // because its constructor parses what it finds here.
  if (calls.length > 0) {
    chat.additional_kwargs.tool_calls = calls.map((call) => toWireCall(call, isTheirs));
  }
  if (isTheirs && provider.fields) chat.additional_kwargs.provider = provider.fields;
  return chat;
}

function toWireCall({ id, tool, args, fields }: ModelCall, isTheirs: boolean) {
  const called = { name: toWireName(tool), arguments: toWellFormed(args) };
  return { ...(isTheirs && fields), id, type: 'function' as const, function: called };
}

/** A name that the model made up must not make the provider refuse the whole conversation. */
function toWireName(tool: string): string {
  return tool.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unnamed';
}
