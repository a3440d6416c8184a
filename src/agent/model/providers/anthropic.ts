import type { BaseMessage } from '@langchain/core/messages';
import type { JsonValue } from '../../../domain/json/json.ts';
import type { ProviderFields } from '../../../domain/threads/message.ts';
import type { Tool } from '../../../domain/tools/tool.ts';
import type { ChatModel } from '../create-chat-model.ts';
import type { AnswerChunk, CallChunk } from '../protocol/answer-chunk.ts';
import { argumentsToText } from '../protocol/exact-arguments.ts';
import { containsError, readServerError, toServerError } from '../protocol/server-error.ts';
import { readServerSentEvents, toEventResponse } from '../protocol/server-sent-events.ts';
import { toModelTool } from '../request/model-tool.ts';
import { providerFieldsOf } from '../request/to-chat-messages.ts';
import { exportedClass, methodOf, type Provider } from './provider.ts';
import { toParsedCalls } from './to-parsed-calls.ts';

export const anthropic: Provider = {
  package: '@langchain/anthropic',
  version: '1.5.11',
  baseUrl: 'https://api.anthropic.com',
  open(exported, { model, apiKey, baseUrl }) {
    const ChatAnthropic = exportedClass(exported, 'ChatAnthropic');
    const open = (fetch?: typeof globalThis.fetch) =>
      new ChatAnthropic({
        model,
        apiKey,
        anthropicApiUrl: baseUrl,
        // The client logs what it can't parse: parts of a conversation.
        clientOptions: { logLevel: 'off', ...(fetch && { fetch }) },
        maxRetries: 0,
      });
    methodOf(open(), 'stream');
    return (messages, tools, signal) => stream(open, messages, tools, signal);
  },
};

interface BlockStart {
  readonly type: 'content_block_start';
  readonly index: number;
  readonly content_block: {
    readonly type: string;
    readonly id?: string;
    readonly name?: string;
    /** JSON text. */
    readonly input?: string;
    readonly text?: string;
  };
}

interface BlockDelta {
  readonly type: 'content_block_delta';
  readonly index: number;
  readonly delta: {
    readonly type: string;
    readonly text?: string;
    readonly partial_json?: string;
    readonly thinking?: string;
    readonly signature?: string;
  };
}

interface WireUsage {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
}

/** An event of a streamed message; https://docs.anthropic.com/en/api/messages-streaming. */
type WireEvent =
  | BlockStart
  | BlockDelta
  | { readonly type: 'content_block_stop'; readonly index: number }
  | { readonly type: 'message_start'; readonly message?: { readonly usage?: WireUsage } }
  | {
      readonly type: 'message_delta';
      readonly delta: { readonly stop_reason?: string | null };
      readonly usage?: WireUsage;
    }
  | { readonly type: 'ping' };

async function* stream(
  open: (fetch: typeof globalThis.fetch) => object,
  messages: readonly BaseMessage[],
  tools: readonly Tool[],
  signal: AbortSignal,
): ReturnType<ChatModel['stream']> {
  const exchange = createExchange(providerFieldsOf(messages));
  const chat = open(exchange.fetch);
  const offer = tools.length > 0 ? { tools: tools.map(toOffer) } : {};
  const request = methodOf(chat, 'stream').call(chat, toParsedCalls(messages), {
    signal,
    ...offer,
  });
  try {
    for await (const _ of (await request) as AsyncIterable<unknown>) yield* exchange.take();
  } catch (error) {
    yield* exchange.take();
    throw exchange.failure() ?? error;
  }
  yield* exchange.take();
}

/** Every so many argument pieces, the client gets an empty one as a keep-alive. */
const PIECES_PER_KEEP_ALIVE = 16;

/**
 * The fetch of one request. It reads the events before the client does. The client parses all
 * arguments again at every piece, so it gets each call's arguments in one piece.
 */
function createExchange(fields: readonly (ProviderFields | undefined)[]) {
  const pieces: AnswerChunk[] = [];
  let failure: unknown;

  function fail(error: unknown): never {
    failure ??= error;
    throw error;
  }

  async function send(url: Parameters<typeof fetch>[0], init: RequestInit = {}): Promise<Response> {
    const body = withThoughts(JSON.parse(String(init.body)) as WireRequest, fields);
    const response = await fetch(url, { ...init, body: JSON.stringify(body) });
    if (response.ok) return response;
    throw await readServerError(response);
  }

  async function* relay(response: Response): AsyncGenerator<string> {
    const toPiece = createPieceReader();
    const merge = createArgumentMerger();
    try {
      for await (const data of readServerSentEvents(response.body ?? new Blob([]).stream())) {
        const value = JSON.parse(argumentsToText(data, 'input')) as JsonValue;
        if (containsError(value)) throw toServerError(value, response);
        const read = value as unknown as WireEvent;
        pieces.push(toPiece(read));
        for (const each of merge(read)) yield toEvent(each);
      }
    } catch (error) {
      fail(error);
    }
  }

  return {
    take: () => pieces.splice(0),
    failure: () => failure,
    fetch: async (...[url, init]: Parameters<typeof fetch>) =>
      toEventResponse(relay(await send(url, init).catch(fail))),
  };
}

function toEvent(event: { readonly type: string }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** Maps each event to those that the client gets instead. */
function createArgumentMerger(): (event: WireEvent) => readonly { readonly type: string }[] {
  const texts = new Map<number, string>();
  let count = 0;
  const toDelta = (index: number, text: string) => ({
    type: 'content_block_delta',
    index,
    delta: { type: 'input_json_delta', partial_json: text },
  });

  function hold({ index, delta }: BlockDelta) {
    texts.set(index, (texts.get(index) ?? '') + (delta.partial_json ?? ''));
    count += 1;
    return count % PIECES_PER_KEEP_ALIVE === 0 ? [toDelta(index, '')] : [];
  }

  return (event) => {
    switch (event.type) {
      case 'content_block_start': {
        const { content_block: block } = event;
        return [
          block.input === undefined ? event : { ...event, content_block: { ...block, input: {} } },
        ];
      }
      case 'content_block_delta':
        return event.delta.type === 'input_json_delta' ? hold(event) : [event];
      case 'content_block_stop': {
        const text = texts.get(event.index);
        return text === undefined ? [event] : [toDelta(event.index, text), event];
      }
      default:
        return [event];
    }
  };
}

interface WireRequest {
  readonly messages: readonly {
    readonly role: string;
    readonly content: string | readonly JsonValue[];
  }[];
}

/** Puts the thinking blocks back before the content of their messages, as Anthropic requires. */
function withThoughts(
  body: WireRequest,
  fields: readonly (ProviderFields | undefined)[],
): WireRequest {
  let at = -1;
  const messages = body.messages.map((message) => {
    if (message.role !== 'assistant') return message;
    at += 1;
    const thoughts = fields[at]?.thinking_blocks;
    if (!Array.isArray(thoughts)) return message;
    const { content } = message;
    const rest = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    return { ...message, content: [...thoughts, ...rest] };
  });
  return { ...body, messages };
}

function toOffer(tool: Tool) {
  const { name, description, schema } = toModelTool(tool);
  return { name, description, input_schema: { ...schema, type: 'object' as const } };
}

/** Anthropic's stop reasons as OpenAI's. All others mean that the answer is incomplete. */
const FINISH: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'content_filter',
};

const THOUGHTS: ReadonlySet<string> = new Set(['thinking', 'redacted_thinking']);

function createPieceReader(): (event: WireEvent) => AnswerChunk {
  const thoughts = new Map<number, Record<string, JsonValue>>();
  let input: number | undefined;

  function start({ index, content_block: block }: BlockStart): AnswerChunk {
    if (THOUGHTS.has(block.type)) thoughts.set(index, { ...block });
    if (block.type !== 'tool_use') return piece({ text: textOf(block, 'text') });
    // A call starts with an empty object or with all of its arguments.
    const args = block.input?.replace(/^\{\s*\}$/, '');
    return piece({ call: { index, id: block.id, name: block.name, args } });
  }

  function delta({ index, delta: added }: BlockDelta): AnswerChunk {
    const thought = thoughts.get(index);
    if (thought) {
      thought.thinking = `${thought.thinking ?? ''}${added.thinking ?? ''}`;
      if (added.signature !== undefined) thought.signature = added.signature;
    }
    if (added.type === 'input_json_delta') {
      return piece({ call: { index, args: added.partial_json } });
    }
    return piece({ text: textOf(added, 'text_delta') });
  }

  function stop(index: number): AnswerChunk {
    const thought = thoughts.get(index);
    return thought ? { ...piece({}), fields: { thinking_blocks: [thought] } } : piece({});
  }

  function finish(reason: string | null | undefined, usage: WireUsage | undefined): AnswerChunk {
    const output = usage?.output_tokens;
    const tokens = input !== undefined && output !== undefined ? { input, output } : undefined;
    const finishReason = reason ? (FINISH[reason] ?? reason) : undefined;
    return { ...piece({ finishReason }), tokens };
  }

  return (event) => {
    switch (event.type) {
      case 'message_start':
        input = event.message?.usage?.input_tokens;
        return piece({});
      case 'content_block_start':
        return start(event);
      case 'content_block_delta':
        return delta(event);
      case 'content_block_stop':
        return stop(event.index);
      case 'message_delta':
        return finish(event.delta.stop_reason, event.usage);
      default:
        return piece({});
    }
  };
}

/** Returns the text of a block of this type. Thinking and other blocks are not shown. */
function textOf(part: { readonly type: string; readonly text?: string }, type: string): string {
  return part.type === type ? (part.text ?? '') : '';
}

function piece({
  text = '',
  call,
  finishReason,
}: {
  readonly text?: string;
  readonly call?: CallChunk;
  readonly finishReason?: string | undefined;
}): AnswerChunk {
  return { text, calls: call ? [call] : [], finishReason };
}
