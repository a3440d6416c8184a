import type { AIMessageChunk, BaseMessage, UsageMetadata } from '@langchain/core/messages';
import type { ChatGenerationChunk } from '@langchain/core/outputs';
import { ChatOpenAICompletions } from '@langchain/openai';
import type { TokenCount } from '../domain/message.ts';
import type { Tool } from '../domain/tool.ts';
import { createCountedStream } from './counted-stream.ts';
import type { ModelVariables } from './model-failure.ts';
import { offerTool } from './offer-tool.ts';

/** A chat model that streams; nothing of its provider shows through but its errors. */
export interface ChatModel {
  readonly name: string;
  /** The longest silence before an answer counts as lost, in milliseconds. */
  readonly timeoutMs: number;
  /** How often a request that had no effect is repeated. */
  readonly maxRetries: number;
  /** The settings that it was reached with, for whoever has to mend them. */
  readonly variables: ModelVariables;
  stream(
    messages: readonly BaseMessage[],
    tools: readonly Tool[],
    signal: AbortSignal,
  ): AsyncIterable<ModelPiece>;
}

/** A piece of a streamed answer, as it came over the wire. */
export interface ModelPiece {
  readonly text: string;
  readonly calls: readonly CallPiece[];
  /** Said with the last piece of a whole answer. */
  readonly finishReason: string | undefined;
  /** What the whole answer took; said once, last, by providers that tell it. */
  readonly tokens?: TokenCount | undefined;
}

/** A piece of a tool call; `args` continues the raw text of what came before under the same index. */
export interface CallPiece {
  readonly index?: number | undefined;
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly args?: string | undefined;
}

export interface ChatModelOptions {
  /** `provider/name`. */
  readonly model: string;
  readonly apiKey?: string | undefined;
  /** Of an OpenAI-compatible server, with its `/v1`; OpenAI's own when absent. */
  readonly baseUrl?: string | undefined;
  readonly timeoutMs: number;
  readonly maxRetries: number;
}

/** A setting names no model that can be used. */
export class ModelSettingError extends Error {
  override readonly name = 'ModelSettingError';
}

/** https://platform.openai.com/docs/api-reference/chat/create#chat_create-stream_options */
const COUNTS = { stream_options: { include_usage: true } } as const;
const OPENAI_URL = 'https://api.openai.com/v1';

/** Creates the model behind an OpenAI-compatible server; a server of one's own needs no key. */
export function createChatModel(options: ChatModelOptions): ChatModel {
  const { provider, name } = splitModelName(options.model);
  if (provider !== 'openai') {
    throw new ModelSettingError(`MODEL names ${provider}, which is no OpenAI-compatible server.`);
  }
  if (!options.apiKey && !options.baseUrl) {
    throw new ModelSettingError(
      'OPENAI_API_KEY is not set. Set it, or set OPENAI_BASE_URL to a compatible server that needs none.',
    );
  }
  const chat = new ChatOpenAICompletions({
    model: name,
    apiKey: options.apiKey || 'none',
    // The client writes what it can't parse to the console: parts of a conversation.
    configuration: { baseURL: options.baseUrl ?? OPENAI_URL, logLevel: 'off' },
    // Repeated by us: the library knows no Retry-After, and waits on the wall clock.
    maxRetries: 0,
    // Asked for below, where a server may refuse it.
    streamUsage: false,
  });
  return {
    name,
    timeoutMs: options.timeoutMs,
    maxRetries: options.maxRetries,
    variables: { key: 'OPENAI_API_KEY', baseUrl: 'OPENAI_BASE_URL' },
    stream: streamCompletions(chat),
  };
}

/** What streams by OpenAI's protocol. */
export type CompletionsChat = Pick<ChatOpenAICompletions, '_streamResponseChunks'>;

/** Streams pieces from a chat model that speaks OpenAI's protocol. */
export function streamCompletions(chat: CompletionsChat): ChatModel['stream'] {
  const countedStream = createCountedStream<ChatGenerationChunk>();
  return async function* stream(messages, tools, signal) {
    const offer = tools.length > 0 ? { tools: tools.map(toOffer) } : {};
    // Not `stream()`: at every piece it joins the whole answer anew and parses its arguments, which
    // takes 40 s for 1 MB. Nor `streaming: true`: that fetches tokenizer data from the network.
    const chunks = countedStream((asks) =>
      chat._streamResponseChunks([...messages], { signal, ...offer, ...(asks && COUNTS) }),
    );
    for await (const chunk of chunks) yield toPiece(chunk);
  };
}

/** Splits `provider/name`; throws when it is not that. */
export function splitModelName(model: string): {
  readonly provider: string;
  readonly name: string;
} {
  const slash = model.indexOf('/');
  const provider = model.slice(0, Math.max(slash, 0));
  const name = model.slice(slash + 1);
  if (provider === '' || name === '') {
    throw new ModelSettingError(
      `MODEL is ${JSON.stringify(model)}; it must be provider/name, for example openai/gpt-4o-mini.`,
    );
  }
  return { provider, name };
}

function toOffer(tool: Tool) {
  const { name, description, schema: parameters } = offerTool(tool);
  return { type: 'function' as const, function: { name, description, parameters } };
}

function toPiece({ message, text, generationInfo }: ChatGenerationChunk): ModelPiece {
  const reason: unknown = generationInfo?.finish_reason;
  // Not `instanceof`: another provider's package may bring its own copy of the class.
  const chunk = 'tool_call_chunks' in message ? (message as AIMessageChunk) : undefined;
  return {
    text,
    calls: (chunk?.tool_call_chunks ?? []).map(toCallPiece),
    finishReason: typeof reason === 'string' && reason !== '' ? reason : undefined,
    tokens: toTokens(chunk?.usage_metadata),
  };
}

/** Nothing of it was looked at: a name or an id may be anything. */
function toCallPiece({ index, id, name, args }: CallPiece): CallPiece {
  return { index, id: textOrNone(id), name: textOrNone(name), args };
}

function textOrNone(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function toTokens(told: UsageMetadata | undefined): TokenCount | undefined {
  if (!isCount(told?.input_tokens) || !isCount(told?.output_tokens)) return undefined;
  return { input: told.input_tokens, output: told.output_tokens };
}

/** Servers that are only nearly compatible leave counts out, or send null. */
function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
