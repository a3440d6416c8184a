import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import { type ListenOptions, openServer } from '../net/open-server.ts';

/** A server that serves a page already, before the app behind it is there. */
export interface EarlyServer {
  readonly server: Server;
  /** Hands on what was asked meanwhile; from now on the server is the app's. */
  open(): void;
  /** Drops what waits, and ends it. */
  close(): Promise<void>;
}

/** Opens the server: these paths are answered by the page at once, and everything else waits for the app. */
export async function openEarlyServer(
  place: ListenOptions,
  page: Hono,
  paths: readonly string[],
): Promise<EarlyServer> {
  const answer = getRequestListener(page.fetch, { overrideGlobalObjects: false });
  const waiting: [IncomingMessage, ServerResponse][] = [];
  const server = await openServer(place, (request, response) => {
    if (paths.includes(request.url?.split('?')[0] ?? '')) void answer(request, response);
    else waiting.push([request, response]);
  });
  return {
    server,
    open: () => {
      for (const each of waiting.splice(0)) server.emit('request', ...each);
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
