import type { BaseMessage } from '@langchain/core/messages';
import type { Tool } from '../../domain/tool.ts';
import type { CallPiece, ChatModel, ModelPiece } from '../model.ts';
import { offerTool } from '../offer-tool.ts';
import { exportedClass, methodOf, type Provider } from './provider.ts';
import { toParsedCalls } from './to-parsed-calls.ts';

/** Anthropic. */
export const anthropic: Provider = {
  package: '@langchain/anthropic',
  version: '1.5.11',
  protocol: 'anthropic',
  baseUrl: 'https://api.anthropic.com',
  open(exported, { model, apiKey, baseUrl }) {
    const ChatAnthropic = exportedClass(exported, 'ChatAnthropic');
    const open = () =>
      new ChatAnthropic({
        model,
        apiKey,
        anthropicApiUrl: baseUrl,
        // The client writes what it can't parse to the console: parts of a conversation.
        clientOptions: { logLevel: 'off' },
        maxRetries: 0,
      });
    methodOf(open(), '_streamResponseChunks');
    methodOf(open(), 'createStreamWithRetry');
    return (messages, tools, signal) => stream(open(), messages, tools, signal);
  },
};

interface BlockStart {
  readonly type: 'content_block_start';
  readonly index: number;
  readonly content_block: {
    readonly type: string;
    readonly id?: string;
    readonly name?: string;
    readonly input?: unknown;
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
  };
}

/** An event of a streamed message; https://docs.anthropic.com/en/api/messages-streaming. */
type WireEvent =
  | BlockStart
  | BlockDelta
  | { readonly type: 'message_delta'; readonly delta: { readonly stop_reason?: string | null } }
  | { readonly type: 'ping' };

type WireStream = AsyncIterable<WireEvent> & { readonly controller: unknown };

/**
 * Reads the events of the wire on their way into the library, and not what it makes of them: it
 * forgets arguments that come with the start of a call, and gives argument text out as words.
 */
async function* stream(
  chat: object,
  messages: readonly BaseMessage[],
  tools: readonly Tool[],
  signal: AbortSignal,
): ReturnType<ChatModel['stream']> {
  const seen: WireEvent[] = [];
  const request = methodOf(chat, 'createStreamWithRetry').bind(chat);
  Object.assign(chat, {
    createStreamWithRetry: async (...args: readonly unknown[]) =>
      tap((await request(...args)) as WireStream, seen),
  });
  const offer = tools.length > 0 ? { tools: tools.map(toOffer) } : {};
  const options = { signal, ...offer };
  const chunks = methodOf(chat, '_streamResponseChunks').call(
    chat,
    toParsedCalls(messages),
    options,
  );
  const toPiece = createPieceReader();
  for await (const _chunk of chunks as AsyncIterable<unknown>) {
    for (const event of seen.splice(0)) yield toPiece(event);
  }
  for (const event of seen.splice(0)) yield toPiece(event);
}

function tap(events: WireStream, seen: WireEvent[]): WireStream {
  return {
    controller: events.controller,
    async *[Symbol.asyncIterator]() {
      for await (const event of events) {
        seen.push(event);
        yield event;
      }
    },
  };
}

function toOffer(tool: Tool) {
  const { name, description, schema } = offerTool(tool);
  return { name, description, input_schema: { ...schema, type: 'object' as const } };
}

/** Anthropic's stop reasons in OpenAI's words; others mean that the answer is not whole. */
const FINISH: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'content_filter',
};

function createPieceReader(): (event: WireEvent) => ModelPiece {
  let isParsed = false;

  function start({ index, content_block: block }: BlockStart): ModelPiece {
    if (block.type !== 'tool_use') return piece({ text: wordsOf(block, 'text') });
    isParsed ||= block.input instanceof Object && Object.keys(block.input).length > 0;
    return piece({ call: { index, id: block.id, name: block.name } });
  }

  function finish(reason: string | null | undefined): ModelPiece {
    if (!reason) return piece({});
    // Arguments whose text was never on the wire can't be read strictly: the answer counts as cut off.
    return piece({ finishReason: isParsed ? 'parsed_arguments' : (FINISH[reason] ?? reason) });
  }

  return (event) => {
    switch (event.type) {
      case 'content_block_start':
        return start(event);
      case 'content_block_delta':
        return toDelta(event);
      case 'message_delta':
        return finish(event.delta.stop_reason);
      default:
        return piece({});
    }
  };
}

function toDelta({ index, delta }: BlockDelta): ModelPiece {
  if (delta.type === 'input_json_delta')
    return piece({ call: { index, args: delta.partial_json } });
  return piece({ text: wordsOf(delta, 'text_delta') });
}

/** Thoughts and other blocks are no words to anybody. */
function wordsOf(part: { readonly type: string; readonly text?: string }, type: string): string {
  return part.type === type ? (part.text ?? '') : '';
}

function piece({
  text = '',
  call,
  finishReason,
}: {
  readonly text?: string;
  readonly call?: CallPiece;
  readonly finishReason?: string | undefined;
}): ModelPiece {
  return { text, calls: call ? [call] : [], finishReason };
}
