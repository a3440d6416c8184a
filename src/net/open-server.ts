import { createServer, type RequestListener, type Server } from 'node:http';

/** Where a server listens, and its timeouts. */
export interface ListenOptions {
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** How long an idle connection stays open. Must be longer than that of proxies in front. (Default: 65 s.) */
  readonly keepAliveMs?: number;
  /** How long a request may take to arrive, against slow senders. (Default: 70 s.) */
  readonly headersMs?: number;
}

/** How often Node checks for timed-out requests. */
const CHECK_EVERY_MS = 5_000;
const KEEP_ALIVE_MS = 65_000;
const HEADERS_MS = 70_000;
/** Connections that may wait to be accepted. More are dropped, and clients connect again only after seconds. */
const BACKLOG = 4_096;

/** Starts a server; rejects, naming the address, if it can't listen there. */
export async function openServer(
  { host, port, keepAliveMs = KEEP_ALIVE_MS, headersMs = HEADERS_MS }: ListenOptions,
  onRequest: RequestListener,
): Promise<Server> {
  const times = {
    keepAliveTimeout: keepAliveMs,
    headersTimeout: headersMs,
    requestTimeout: headersMs,
    connectionsCheckingInterval: Math.min(CHECK_EVERY_MS, headersMs),
  };
  const server = createServer(times, onRequest);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const remedy =
        error.code === 'EADDRINUSE'
          ? 'Another program listens there: stop it, or set another PORT.'
          : 'Set HOST to an address of this machine, and PORT to one that may be used.';
      const why = `Can't listen on ${host}:${port}: ${error.message}. ${remedy}`;
      reject(new Error(why, { cause: error }));
    });
    server.listen({ port, host, backlog: BACKLOG }, resolve);
  });
  return server;
}

/** URL of a listening server, with the port actually used. */
export function addressOf(server: Server, host: string): { readonly url: string; port: number } {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('It does not listen.');
  const { port } = address;
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`, port };
}
