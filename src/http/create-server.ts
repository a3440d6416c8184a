/** The app's HTTP server: health, Slack's requests, and mounted routes. */
import type { RequestListener, Server } from 'node:http';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import type { Clock } from '../domain/ports/clock.ts';
import type { Log } from '../domain/ports/log.ts';
import { addressOf, type ListenOptions, openServer } from '../net/open-server.ts';
import type { ApiEnv } from './api/operation.ts';
import { createSlackRoute, type SlackListener } from './slack-route.ts';

/** Rejects with the reason if a part of the app can't work. */
export type ReadinessCheck = () => Promise<void>;

/** How many tasks of one kind were given up, and since when. */
export interface DeadLetterCount {
  readonly task: string;
  readonly count: number;
  /** ISO 8601. */
  readonly since: string;
}

export interface HttpServerOptions extends ListenOptions {
  readonly clock: Clock;
  readonly log: Pick<Log, 'error'>;
  /** Checks of `GET /readyz`, by name. */
  readonly checks: Readonly<Record<string, ReadinessCheck>>;
  /** Parked work, for `GET /healthz`. Counts only, since the address may be public. */
  readonly parked?: () => Promise<readonly DeadLetterCount[]>;
  /** Problems that need attention although the app works, for `GET /readyz`. */
  readonly warnings?: () => Promise<readonly string[]>;
  readonly slackListener?: SlackListener;
  /** Called if a Slack request's timestamp is too far off, with how far our clock is ahead (ms). */
  readonly onSlackSkew?: ((ms: number) => void) | undefined;
  /** Handles requests under `/api`. */
  readonly api?: Hono<ApiEnv>;
  /** Handles requests to `/mcp`. Its API calls keep the client address of the MCP request. */
  readonly mcp?: (
    request: Request,
    askApi: (request: Request) => Promise<Response>,
  ) => Promise<Response>;
  /** Mounts more routes. */
  readonly extraRoutes?: (routes: Hono) => void;
  /** A server that listens already. Its requests are handled here from now on, and `close` closes it. */
  readonly listening?: Server | undefined;
}

export interface HttpServer {
  /** With the port actually used. */
  readonly url: string;
  readonly port: number;
  /** Makes `GET /readyz` report that the app is stopping. */
  stopReady(): void;
  /** Stops accepting requests and ends open ones after a grace period. Idempotent. */
  close(): Promise<void>;
}

const CLOSE_GRACE_MS = 1_500;

/** Starts the server; rejects, naming the address, if it can't listen there. */
export async function createServer(options: HttpServerOptions): Promise<HttpServer> {
  const { clock, log, slackListener } = options;
  let stopping = false;
  const routes = createRoutes(options, () => stopping);
  const handle = getRequestListener(routes.fetch);
  const slack =
    slackListener &&
    createSlackRoute({ listener: slackListener, clock, onSkew: options.onSlackSkew });

  const onRequest: RequestListener = (request, response) => {
    request.url = withoutSpareSlashes(request.url ?? '');
    const path = (request.url ?? '').split('?')[0];
    const work =
      slack && path === '/slack/events' ? slack(request, response) : handle(request, response);
    Promise.resolve(work).catch((error: unknown) => {
      log.error({ err: error, path }, 'A request could not be handled.');
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  };
  const server = options.listening ?? (await openServer(options, onRequest));
  if (options.listening) server.removeAllListeners('request').on('request', onRequest);
  let closed: Promise<void> | undefined;

  return {
    ...addressOf(server, options.host),
    stopReady: () => {
      stopping = true;
    },
    close: () => {
      stopping = true;
      closed ??= closeServer(server, clock);
      return closed;
    },
  };
}

/** A base URL with a trailing slash leads to a double slash. */
function withoutSpareSlashes(url: string): string {
  return url
    .replace(/^\/+(api|mcp|slack)\/+(?=[^?])/, '/$1/')
    .replace(/^\/+mcp\/*(?=\?|$)/, '/mcp');
}

function createRoutes(options: HttpServerOptions, isStopping: () => boolean): Hono {
  const routes = new Hono();
  routes.get('/healthz', async (context) => {
    // The app is alive even if its store is unreachable; /readyz reports that.
    const parked = (await options.parked?.().catch(() => [])) ?? [];
    return context.json({ status: 'alive', ...(parked.length > 0 && { parked }) });
  });
  routes.get('/readyz', async (context) => {
    const problems = isStopping() ? ['The app is stopping.'] : await runChecks(options.checks);
    if (problems.length === 0) {
      const warnings = (await options.warnings?.().catch(() => [])) ?? [];
      return context.json({ status: 'ready', ...(warnings.length > 0 && { warnings }) });
    }
    return context.json({ status: 'not ready', problems }, 503);
  });
  const { api, mcp } = options;
  if (api) {
    const ask = async (request: Request, { env }: Context) =>
      api.fetch(request, env as HttpBindings);
    routes.all('/api/*', (context) => ask(context.req.raw, context));
    if (mcp) {
      routes.all('/mcp', (context) => mcp(context.req.raw, (request) => ask(request, context)));
    }
  }
  options.extraRoutes?.(routes);
  routes.notFound((context) => context.json({ error: 'There is nothing here.' }, 404));
  routes.onError((error, context) => {
    options.log.error({ err: error, path: context.req.path }, 'A request could not be handled.');
    return context.json({ error: 'Internal error.' }, 500);
  });
  return routes;
}

async function runChecks(checks: HttpServerOptions['checks']): Promise<readonly string[]> {
  const problems = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      try {
        await check();
        return undefined;
      } catch (error) {
        return `${name}: ${error instanceof Error ? error.message : String(error)}`;
      }
    }),
  );
  return problems.filter((problem) => problem !== undefined);
}

function closeServer(server: Server, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.schedule(clock.now() + CLOSE_GRACE_MS, () => server.closeAllConnections());
    server.close(() => {
      cancel();
      resolve();
    });
    server.closeIdleConnections();
  });
}
