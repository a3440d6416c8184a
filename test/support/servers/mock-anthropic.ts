/** A strict server of the streaming messages of Anthropic: it follows a script, and rejects with 400 what the real one rejects. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { type AnthropicRequest, anthropicRefusal } from './mock-anthropic-rules.ts';

export interface AnthropicCall {
  readonly id: string;
  readonly name: string;
  /** Raw text, sent in small pieces. */
  readonly args: string;
  /** Arguments sent with the start of the call, as some servers do. */
  readonly input?: unknown;
}

export interface AnthropicAnswer {
  readonly words?: string;
  readonly thoughts?: string;
  readonly calls?: readonly AnthropicCall[];
  /** Null cuts the connection after the text and calls; a string is the stop reason. */
  readonly stop?: string | null;
  /** An error of this type in the middle of the stream, instead of the end. */
  readonly error?: string;
  /** An HTTP error. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly message?: string;
}

export type AnthropicScript = (request: AnthropicRequest, index: number) => AnthropicAnswer;

/** Starts the server on a free port; `url` is what a client appends `/v1/messages` to. */
export async function createMockAnthropic(script: AnthropicScript) {
  const requests: AnthropicRequest[] = [];
  const refusals: string[] = [];

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request: AnthropicRequest = JSON.parse(await readText(incoming));
    // The check of the model at a start, which no script has to handle.
    if (request.tools?.[0]?.name === 'countersign_ready') {
      const call = { id: 'toolu_ready', name: 'countersign_ready', args: '{"ready":true}' };
      return answer(response, { calls: [call] });
    }
    requests.push(request);
    const refusal = refusalOfHead(incoming) ?? anthropicRefusal(request);
    if (refusal === undefined) return answer(response, script(request, requests.length - 1));
    refusals.push(refusal);
    answer(response, { status: 400, error: 'invalid_request_error', message: refusal });
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
    url: `http://127.0.0.1:${port}`,
    requests,
    refusals,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function refusalOfHead({ url, headers }: IncomingMessage): string | undefined {
  if (url !== '/v1/messages') return `no ${url}`;
  if (headers['x-api-key'] !== 'sk-ant-test') return `x-api-key: ${headers['x-api-key']}`;
  return headers['anthropic-version'] === undefined ? 'anthropic-version: required' : undefined;
}

function answer(response: ServerResponse, said: AnthropicAnswer): void {
  if (said.status !== undefined) {
    response.writeHead(said.status, { 'content-type': 'application/json', ...said.headers });
    const error = { type: said.error ?? 'api_error', message: said.message ?? `${said.status}` };
    response.end(JSON.stringify({ type: 'error', error }));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const [type, fields] of eventsOf(said)) {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
  }
  // Written data must be sent before the connection is cut.
  if (said.stop === null) response.write(': cut\n\n', () => response.destroy());
  else response.end();
}

type Event = readonly [type: string, fields: object];

function eventsOf(said: AnthropicAnswer): readonly Event[] {
  const { words = '', thoughts = '', calls = [], error } = said;
  const blocks: Event[][] = [];
  if (thoughts !== '') {
    blocks.push(
      block(blocks.length, { type: 'thinking', thinking: '' }, [
        { type: 'thinking_delta', thinking: thoughts },
        { type: 'signature_delta', signature: 'c2ln' },
      ]),
    );
  }
  if (words !== '') {
    const deltas = pieces(words).map((text) => ({ type: 'text_delta', text }));
    blocks.push(block(blocks.length, { type: 'text', text: '' }, deltas));
  }
  for (const { id, name, args, input = {} } of calls) {
    const start = { type: 'tool_use', id, name, input };
    const deltas = pieces(args).map((part) => ({ type: 'input_json_delta', partial_json: part }));
    const all = input === undefined || args !== '' ? deltas : [];
    blocks.push(block(blocks.length, start, all));
  }
  const usage = { input_tokens: 10, output_tokens: 1 };
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'mock', content: [] };
  const begin: Event[] = [
    ['message_start', { message: { ...message, stop_reason: null, stop_sequence: null, usage } }],
    ['ping', {}],
    ...blocks.flat(),
  ];
  if (error !== undefined) {
    return [...begin, ['error', { error: { type: error, message: 'Overloaded' } }]];
  }
  if (said.stop === null) return begin;
  const stop = said.stop ?? (calls.length > 0 ? 'tool_use' : 'end_turn');
  const delta = { stop_reason: stop, stop_sequence: null };
  return [
    ...begin,
    ['message_delta', { delta, usage: { output_tokens: 5 } }],
    ['message_stop', {}],
  ];
}

function block(index: number, start: object, deltas: readonly object[]): Event[] {
  return [
    ['content_block_start', { index, content_block: start }],
    ...deltas.map((delta): Event => ['content_block_delta', { index, delta }]),
    ['content_block_stop', { index }],
  ];
}

/** Small pieces, cut anywhere; at most a thousand of them. */
function pieces(text: string): readonly string[] {
  const size = Math.max(7, Math.ceil(text.length / 1000));
  const count = Math.max(1, Math.ceil(text.length / size));
  return Array.from({ length: count }, (_, at) => text.slice(at * size, (at + 1) * size));
}
