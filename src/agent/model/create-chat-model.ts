import type { BaseMessage } from '@langchain/core/messages';
import { ChatOpenAICompletions } from '@langchain/openai';
import type { Log } from '../../domain/ports/log.ts';
import type { Tool } from '../../domain/tools/tool.ts';
import type { ModelVariables } from './model-failure.ts';
import type { AnswerChunk } from './protocol/answer-chunk.ts';
import { createExchange } from './protocol/completions-fetch.ts';
import type { ReasoningHabit } from './protocol/reasoning-filter.ts';
import { createServerQuirks } from './protocol/server-quirks.ts';
import { toModelTool } from './request/model-tool.ts';
import { providerFieldsOf } from './request/to-chat-messages.ts';

/** A streaming chat model. Only its errors depend on the provider. */
export interface ChatModel {
  readonly name: string;
  /** The longest silence before an answer times out, in milliseconds. */
  readonly timeoutMs: number;
  /** How often a request that returned nothing is retried. */
  readonly maxRetries: number;
  /** Names of its settings, for error messages. */
  readonly variables: ModelVariables;
  /** The server's address. Provider fields are sent back only to the origin that they came from. */
  readonly origin?: string;
  /** Values that must not appear in any message about it. */
  readonly secrets?: readonly string[];
  stream(
    messages: readonly BaseMessage[],
    tools: readonly Tool[],
    signal: AbortSignal,
  ): AsyncIterable<AnswerChunk>;
}

export interface ChatModelOptions {
  /** `provider/name`. */
  readonly model: string;
  readonly apiKey?: string | undefined;
  /** Base URL of an OpenAI-compatible server, including `/v1`. (Default: the provider's own.) */
  readonly baseUrl?: string | undefined;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  /** Whether to omit tools if the server does not support them. (Default: no.) */
  readonly allowsNoTools?: boolean | undefined;
  readonly log?: Pick<Log, 'warn'> | undefined;
}

/** The configured model cannot be used. */
export class ModelSettingError extends Error {
  override readonly name = 'ModelSettingError';
}

/** Base URLs of providers with an OpenAI-compatible API. */
const ADDRESSES: Readonly<Record<string, string>> = {
  openai: 'https://api.openai.com/v1',
  deepseek: 'https://api.deepseek.com',
  groq: 'https://api.groq.com/openai/v1',
  xai: 'https://api.x.ai/v1',
};

/** Returns whether a provider has an OpenAI-compatible API. */
export function isOpenAiCompatible(provider: string): boolean {
  return Object.hasOwn(ADDRESSES, provider);
}

/** Returns the names of a provider's environment variables. */
export function modelVariablesOf(provider: string): ModelVariables {
  const prefix = provider.toUpperCase();
  return { key: `${prefix}_API_KEY`, baseUrl: `${prefix}_BASE_URL` };
}

/** Creates a model with an OpenAI-compatible API. With a custom base URL the key is optional. */
export function createChatModel(options: ChatModelOptions): ChatModel {
  const { provider, name } = splitModelName(options.model);
  const url = isOpenAiCompatible(provider) ? ADDRESSES[provider] : undefined;
  if (url === undefined) {
    throw new ModelSettingError(`MODEL names ${provider}, which is not OpenAI-compatible.`);
  }
  const variables = modelVariablesOf(provider);
  if (!options.apiKey && !options.baseUrl) {
    throw new ModelSettingError(
      `${variables.key} is not set. Set it, or set ${variables.baseUrl} to a compatible server that needs none.`,
    );
  }
  const { timeoutMs, maxRetries, baseUrl = url } = options;
  const stream = streamCompletions({ ...options, name, baseUrl });
  const secrets = options.apiKey ? [options.apiKey] : [];
  return { name, timeoutMs, maxRetries, variables, origin: baseUrl, secrets, stream };
}

function streamCompletions({
  name,
  apiKey,
  baseUrl,
  allowsNoTools = false,
  log,
}: ChatModelOptions & { readonly name: string; readonly baseUrl: string }): ChatModel['stream'] {
  const quirks = createServerQuirks({ allowsNoTools });
  const habit: ReasoningHabit = { beginsInThought: false };
  const onQuirk = (quirk: string) =>
    log?.warn(
      { model: name, quirk },
      'The model’s server refused a part of the request; later requests are adapted.',
    );

  return async function* stream(messages, tools, signal) {
    const fields = providerFieldsOf(messages);
    const exchange = createExchange({ quirks, habit, fields, onQuirk });
    const chat = new ChatOpenAICompletions({
      model: name,
      apiKey: apiKey || 'none',
      // The client logs what it can't parse: parts of a conversation.
      configuration: { baseURL: baseUrl, logLevel: 'off', fetch: exchange.fetch },
      // We retry ourselves: the library ignores Retry-After and waits on the wall clock.
      maxRetries: 0,
    });
    const offer = tools.length > 0 ? { tools: tools.map(toOffer) } : {};
    try {
      // Never `streaming: true`: that fetches tokenizer data from the network.
      for await (const _ of await chat.stream([...messages], { signal, ...offer })) {
        yield* exchange.take();
      }
    } catch (error) {
      yield* exchange.take();
      throw exchange.failure() ?? error;
    }
    yield* exchange.take();
  };
}

/** Splits `provider/name`. Throws a `ModelSettingError` for any other form. */
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
  const { name, description, schema: parameters } = toModelTool(tool);
  return { type: 'function' as const, function: { name, description, parameters } };
}
