import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { Hono } from 'hono';
import { type ListenOptions, openServer } from '../net/open-server.ts';

/** A server that serves the page while the app is still starting. */
export interface EarlyServer {
  readonly server: Server;
  /** Forwards the queued requests to the app, which owns the server from now on. */
  open(): void;
  /** Drops queued requests and closes the server. */
  close(): Promise<void>;
}

/**
 * Opens the server. The page answers `paths` at once; all other requests are queued for the app.
 */
export async function openEarlyServer(
  address: ListenOptions,
  page: Hono,
  paths: readonly string[],
): Promise<EarlyServer> {
  const answer = getRequestListener(page.fetch, { overrideGlobalObjects: false });
  const queued: [IncomingMessage, ServerResponse][] = [];
  const server = await openServer(address, (request, response) => {
    if (paths.includes(request.url?.split('?')[0] ?? '')) void answer(request, response);
    else queued.push([request, response]);
  });
  return {
    server,
    open: () => {
      for (const each of queued.splice(0)) server.emit('request', ...each);
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
