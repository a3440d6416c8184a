/** A model server with exact responses: what real ones reject and send. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import type { MockRequest } from './mock-model-rules.ts';

/** The response of the server. */
export interface Reply {
  /** (Default: 200.) */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** One JSON body. */
  readonly json?: unknown;
  /** One text body. */
  readonly text?: string;
  /** Server-sent events; texts are sent unchanged. */
  readonly events?: readonly unknown[];
  /** The end of the stream. (Default: `[DONE]`.) */
  readonly end?: 'done' | 'closed' | 'cut';
}

/** Makes the chunks of an answer, in the format of OpenAI by default. */
export function pieces(...deltas: readonly unknown[]): readonly unknown[] {
  return deltas.map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] }));
}

/** The last chunk of an answer. */
export function finish(reason: unknown): unknown {
  return { choices: [{ index: 0, delta: {}, finish_reason: reason }] };
}

export interface ProfileServer {
  readonly url: string;
  readonly requests: readonly MockRequest[];
  stop(): Promise<void>;
}

/** Starts the server on a free port; `answer` is called once for each request. */
export async function createProfileServer(
  answer: (request: MockRequest, index: number) => Reply,
): Promise<ProfileServer> {
  const requests: MockRequest[] = [];

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request: MockRequest = JSON.parse(await readText(incoming));
    requests.push(request);
    send(response, answer(request, requests.length - 1));
  }

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function send(response: ServerResponse, reply: Reply): void {
  const { status = 200, headers = {}, json, text, events } = reply;
  if (events === undefined) {
    const type = json === undefined ? 'text/plain' : 'application/json';
    response.writeHead(status, { 'content-type': type, ...headers });
    response.end(json === undefined ? text : JSON.stringify(json));
    return;
  }
  response.writeHead(status, { 'content-type': 'text/event-stream', ...headers });
  for (const event of events) {
    response.write(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`);
  }
  const { end = 'done' } = reply;
  if (end === 'cut') response.write(': cut\n\n', () => response.destroy());
  else response.end(end === 'done' ? 'data: [DONE]\n\n' : undefined);
}
