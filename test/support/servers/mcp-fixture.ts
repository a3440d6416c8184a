/** MCP servers built with the official SDK: the test sets what they list, answer and ask. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  type ElicitRequestFormParams,
  type ElicitResult,
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';

/** The context of a tool of the fixture, besides its arguments. */
export interface FixtureCall {
  readonly signal: AbortSignal;
  ask(params: ElicitRequestFormParams, signal?: AbortSignal): Promise<ElicitResult>;
  /** Tells the client that the list has changed. */
  tellChanged(): Promise<void>;
}

/** A tool as listed, valid or not, and its effect. */
export interface FixtureTool {
  readonly listed: { readonly [key: string]: unknown };
  run(args: Record<string, unknown>, call: FixtureCall): Promise<CallToolResult> | CallToolResult;
}

/** Makes a tool that returns a text. */
export function aTool(
  name: string,
  run: (args: Record<string, unknown>, call: FixtureCall) => Promise<string> | string,
  listed: { readonly [key: string]: unknown } = {},
): FixtureTool {
  return {
    listed: {
      name,
      description: `Does ${name}.`,
      inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
      ...listed,
    },
    run: async (args, call) => ({ content: [{ type: 'text', text: await run(args, call) }] }),
  };
}

/** Makes a server of the tools that exist at each moment. */
export function makeFixtureServer(tools: () => readonly FixtureTool[]): Server {
  const server = new Server(
    { name: 'fixture', version: '1.0.0' },
    { capabilities: { tools: { listChanged: true } } },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools().map(({ listed }) => listed) as never,
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const tool = tools().find(({ listed }) => listed.name === params.name);
    if (!tool) throw new Error(`There is no tool ${params.name}.`);
    return await tool.run(params.arguments ?? {}, {
      signal: extra.signal,
      ask: (question, signal) =>
        server.elicitInput(question, {
          relatedRequestId: extra.requestId,
          timeout: 60_000,
          ...(signal && { signal }),
        }),
      tellChanged: () => server.sendToolListChanged(),
    });
  });
  return server;
}

/** A server over HTTP on a free port, for the duration of the test. */
export interface HttpFixture {
  readonly url: string;
  tools: readonly FixtureTool[];
  /** Headers of the requests so far. */
  readonly headers: readonly NodeJS.Dict<string | string[]>[];
  /** The called tools, in order. */
  readonly methods: readonly string[];
  /** Breaks all open connections. */
  breakAll(): void;
  /** Ends all responses in progress, as if they were complete. */
  endAll(): void;
  /** Forgets all sessions, like a restarted server. */
  forget(): void;
  stop(): Promise<void>;
}

export async function startHttpFixture(
  t: Pick<TestContext, 'after'>,
  tools: readonly FixtureTool[],
): Promise<HttpFixture> {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const headers: NodeJS.Dict<string | string[]>[] = [];
  const methods: string[] = [];
  const open = new Set<ServerResponse>();
  const http = createServer(async (request, response) => {
    headers.push(request.headers);
    open.add(response);
    response.once('close', () => open.delete(response));
    let body: unknown;
    if (request.method === 'POST') {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      body = JSON.parse(Buffer.concat(chunks).toString());
      methods.push(String((body as { method?: unknown }).method));
    }
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? sessions.get(id) : undefined;
    if (typeof id === 'string' && !known) {
      response.writeHead(404).end();
      return;
    }
    const transport = known ?? (await begin());
    await transport.handleRequest(request, response, body);
  });

  async function begin(): Promise<StreamableHTTPServerTransport> {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => {
        sessions.set(id, transport);
      },
    });
    await makeFixtureServer(() => fixture.tools).connect(transport as never);
    return transport;
  }

  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  let stopped: Promise<void> | undefined;
  const fixture: HttpFixture = {
    url: `http://127.0.0.1:${port}/mcp`,
    tools,
    headers,
    methods,
    breakAll: () => http.closeAllConnections(),
    endAll() {
      for (const response of open) response.end();
    },
    forget: () => sessions.clear(),
    stop() {
      stopped ??= new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      });
      return stopped;
    },
  };
  t.after(() => fixture.stop());
  return fixture;
}

/** A received message, and the response of a hand-made server: a result, or a status with a text. */
export interface RawMessage {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly name?: string };
}
export type RawAnswer =
  | { readonly result: unknown }
  | { readonly error: object }
  | { readonly status: number; readonly text: string };

/** A server with responses of the test, valid or not; undefined responds like a server with this tool. */
export async function startRawFixture(
  t: Pick<TestContext, 'after'>,
  tool: string,
  answer: (message: RawMessage, session: string | undefined) => RawAnswer | undefined,
  /** The id of its new sessions. (Default: it has none.) */
  sessionNow?: () => string,
): Promise<Pick<HttpFixture, 'url'>> {
  const usual: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: 'raw', version: '1.0.0' },
    },
    'tools/list': { tools: [{ name: tool, inputSchema: { type: 'object' } }] },
  };
  const http = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.method !== 'POST') {
      response.writeHead(405).end();
      return;
    }
    const message = JSON.parse(Buffer.concat(chunks).toString()) as RawMessage;
    if (sessionNow && message.method === 'initialize') {
      response.setHeader('mcp-session-id', sessionNow());
    }
    const said = answer(message, request.headers['mcp-session-id']?.toString()) ?? {
      result: usual[message.method],
    };
    if ('status' in said) response.writeHead(said.status).end(said.text);
    else if (message.id === undefined) response.writeHead(202).end();
    else {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...said }));
    }
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    http.closeAllConnections();
    await new Promise<void>((resolve) => http.close(() => resolve()));
  });
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp` };
}

/** A server that only speaks the older HTTP transport of the protocol. */
export async function startSseFixture(
  t: Pick<TestContext, 'after'>,
  tools: readonly FixtureTool[],
): Promise<Pick<HttpFixture, 'url' | 'breakAll'>> {
  const sessions = new Map<string, SSEServerTransport>();
  const http = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    if (pathname === '/sse' && request.headers.authorization === 'Bearer secret-token') {
      const transport = new SSEServerTransport('/messages', response);
      sessions.set(transport.sessionId, transport);
      await makeFixtureServer(() => tools).connect(transport);
      return;
    }
    const session = sessions.get(searchParams.get('sessionId') ?? '');
    if (session) await session.handlePostMessage(request, response);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  t.after(async () => {
    http.closeAllConnections();
    await new Promise<void>((resolve) => http.close(() => resolve()));
  });
  const { port } = http.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/sse`, breakAll: () => http.closeAllConnections() };
}
