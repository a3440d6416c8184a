/**
 * A strict OpenAI server for tests: it follows a script, records its requests, and rejects
 * with 400 what the real one rejects, whatever the script says.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { type MockRequest, refusalOf } from './mock-model-rules.ts';

export type { MockRequest } from './mock-model-rules.ts';

/** A tool call as the model writes it: `args` is raw text, valid or not. */
export interface MockCall {
  readonly id?: string;
  readonly name: string;
  readonly args: string;
}

/** Token usage as OpenAI reports it. */
export interface MockUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
}

export type MockAnswer =
  | {
      readonly kind: 'message';
      readonly deltas: readonly string[];
      readonly calls: readonly MockCall[];
      /** `null` leaves it out: the stream ends as if it were complete. */
      readonly finishReason: string | null;
      /** The reported usage, on request; null: none. (Default: a token for four characters.) */
      readonly usage?: MockUsage | null;
    }
  /** The connection is cut after this text and these calls. */
  | {
      readonly kind: 'cut';
      readonly deltas: readonly string[];
      readonly calls: readonly MockCall[];
    }
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly error: Readonly<Record<string, unknown>>;
    }
  /** Sends this text, if any, and then hangs. */
  | { readonly kind: 'hang'; readonly deltas: readonly string[] }
  /** Sends these chunks unchanged, as they become available. */
  | { readonly kind: 'chunks'; readonly chunks: Iterable<unknown> | AsyncIterable<unknown> };

export type MockScript = (request: MockRequest, index: number) => MockAnswer | Promise<MockAnswer>;

/** Answers with text, in the given pieces. */
export function sayText(...deltas: readonly string[]): MockAnswer {
  return { kind: 'message', deltas, calls: [], finishReason: 'stop' };
}

/** Answers with tool calls, and with text beside them if given. */
export function sayCalls(calls: readonly MockCall[], words = ''): MockAnswer {
  const deltas = words === '' ? [] : [words];
  return { kind: 'message', deltas, calls, finishReason: 'tool_calls' };
}

/** Ends an answer with another finish reason than its own; null for none. */
export function finishWith(answer: MockAnswer, finishReason: string | null): MockAnswer {
  if (answer.kind !== 'message') throw new TypeError('Only a message has a finish reason.');
  return { ...answer, finishReason };
}

/** Sets the reported usage of an answer; null for a server that reports none. */
export function withUsage(answer: MockAnswer, usage: MockUsage | null): MockAnswer {
  if (answer.kind !== 'message') throw new TypeError('Only a message says what it took.');
  return { ...answer, usage };
}

/** Cuts the connection after the text and calls of a message. */
export function cutAfter(answer: MockAnswer): MockAnswer {
  if (answer.kind !== 'message') throw new TypeError('Only a message can be cut.');
  return { kind: 'cut', deltas: answer.deltas, calls: answer.calls };
}

/** Answers with an HTTP error. */
export function sayStatus(
  status: number,
  error: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
): MockAnswer {
  return { kind: 'status', status, error, headers };
}

export interface MockModel {
  /** Base URL for clients, with `/v1`. */
  readonly url: string;
  /** All requests, including rejected ones. */
  readonly requests: readonly MockRequest[];
  /** The reasons of requests rejected with 400; empty if all were valid. */
  readonly refusals: readonly string[];
  /** Sets the script from now on; `index` counts from 0 since this call. */
  script(answer: MockScript): void;
  stop(): Promise<void>;
}

/** Starts the server on a free port. */
export async function createMockModel(
  script: MockScript = () => sayText('Hello.'),
  how: { readonly scriptsProbes?: boolean } = {},
): Promise<MockModel> {
  const requests: MockRequest[] = [];
  const refusals: string[] = [];
  let answerer = script;
  let index = 0;

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body: MockRequest = JSON.parse(await readText(incoming));
    if (isProbe(body) && !how.scriptsProbes) return await send(response, PROBE_ANSWER, body);
    requests.push(body);
    const refusal =
      incoming.url === '/v1/chat/completions' ? refusalOf(body) : `no ${incoming.url}`;
    if (refusal !== undefined) {
      refusals.push(refusal);
      await send(response, sayStatus(400, { message: refusal, type: 'invalid_request_error' }));
      return;
    }
    const mine = index;
    index += 1;
    await send(response, await answerer(body, mine), body);
  }

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch((error: unknown) => {
      refusals.push(`The script failed: ${String(error)}`);
      response.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    refusals,
    script(next) {
      answerer = next;
      index = 0;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The check of the model at a start, which a script need not handle. */
function isProbe({ tools }: MockRequest): boolean {
  return tools?.[0]?.function.name === 'countersign_ready';
}

/** A suitable model. */
export const PROBE_ANSWER = sayCalls([
  { id: 'ready', name: 'countersign_ready', args: '{"ready":true}' },
]);

async function send(
  response: ServerResponse,
  answer: MockAnswer,
  request?: MockRequest,
): Promise<void> {
  if (answer.kind === 'status') {
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
    response.end(
      JSON.stringify({ error: { message: `status ${answer.status}`, ...answer.error } }),
    );
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for await (const chunk of chunksOf(answer)) {
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  }
  const usage = request && usageOf(answer, request);
  if (usage) response.write(`data: ${JSON.stringify(usage)}\n\n`);
  if (answer.kind === 'hang') {
    response.flushHeaders();
    return;
  }
  // Written data must be sent before the connection is cut.
  if (answer.kind === 'cut') response.write(': cut\n\n', () => response.destroy());
  else response.end('data: [DONE]\n\n');
}

function chunksOf(
  answer: Exclude<MockAnswer, { kind: 'status' }>,
): Iterable<unknown> | AsyncIterable<unknown> {
  if (answer.kind === 'chunks') return answer.chunks;
  const deltas = answer.deltas.map((content) => ({ content }));
  const calls = answer.kind === 'hang' ? [] : answer.calls.flatMap(toCallDeltas);
  const all = [{ role: 'assistant', content: '' }, ...deltas, ...calls].map((delta) =>
    toChunk(delta, null),
  );
  if (answer.kind !== 'message' || answer.finishReason === null) return all;
  return [...all, toChunk({}, answer.finishReason)];
}

/** The last chunk, without a choice. https://platform.openai.com/docs/api-reference/chat/create#chat_create-stream_options */
function usageOf(answer: MockAnswer, request: MockRequest): unknown {
  if (answer.kind !== 'message' || answer.usage === null) return undefined;
  if (request.stream_options?.include_usage !== true) return undefined;
  const tokens = (value: unknown) => Math.ceil(JSON.stringify(value).length / 4);
  const usage = answer.usage ?? {
    prompt_tokens: tokens(request.messages),
    completion_tokens: tokens([answer.deltas, answer.calls]),
  };
  const total = usage.prompt_tokens + usage.completion_tokens;
  const chunk = toChunk({}, null) as object;
  return { ...chunk, choices: [], usage: { ...usage, total_tokens: total } };
}

/** Writes one chunk of a stream, like OpenAI. */
export function toChunk(delta: unknown, finishReason: string | null): unknown {
  return {
    id: 'chatcmpl-mock',
    object: 'chat.completion.chunk',
    created: 0,
    model: 'mock',
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  };
}

/** Arguments arrive in small pieces, cut anywhere; at most a thousand of them. */
function toCallDeltas({ id, name, args }: MockCall, index: number): readonly unknown[] {
  const head = { index, id, type: 'function', function: { name, arguments: '' } };
  const size = Math.max(7, Math.ceil(args.length / 1000));
  const count = Math.ceil(args.length / size);
  const pieces = Array.from({ length: count }, (_, at) => args.slice(at * size, (at + 1) * size));
  const rest = pieces.map((piece) => ({ index, function: { arguments: piece } }));
  return [head, ...rest].map((call) => ({ tool_calls: [call] }));
}
