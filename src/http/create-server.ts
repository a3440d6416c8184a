/** The app's one HTTP server: health, Slack's requests, and whatever routes are mounted on it. */
import { createServer as createNodeServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import type { Clock } from '../domain/clock.ts';
import type { Log } from '../domain/log.ts';
import type { ApiEnv } from './api/operation.ts';
import { createSlackRoute, type SlackListener } from './slack-route.ts';

/** Rejects, saying why, while a part of the app can't do its work. */
export type ReadinessCheck = () => Promise<void>;

/** How much work of one kind was given up, and since when. */
export interface ParkedCount {
  readonly task: string;
  readonly count: number;
  /** ISO 8601. */
  readonly since: string;
}

export interface HttpServerOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly clock: Clock;
  readonly log: Pick<Log, 'error'>;
  /** How long an idle connection stays open: longer than the proxies in front keep theirs. (Default: 65 s.) */
  readonly keepAliveMs?: number;
  /** How long a request may take to arrive: nobody holds the server by sending slowly. (Default: 70 s.) */
  readonly headersMs?: number;
  /** What `GET /readyz` asks, by name. */
  readonly checks: Readonly<Record<string, ReadinessCheck>>;
  /** Work that stands still, for `GET /healthz`: counts only, for the address may be public. */
  readonly parked?: () => Promise<readonly ParkedCount[]>;
  /** What somebody has to look at though the app can work, for `GET /readyz`. */
  readonly warnings?: () => Promise<readonly string[]>;
  readonly slackListener?: SlackListener;
  /** Hears of a request for it that says to be from another time: how far (ms) our clock is ahead. */
  readonly onSlackSkew?: ((ms: number) => void) | undefined;
  /** Answers requests under `/api`. */
  readonly api?: Hono<ApiEnv>;
  /** Answers requests to `/mcp`; what it asks of the API comes from where its request came from. */
  readonly mcp?: (
    request: Request,
    askApi: (request: Request) => Promise<Response>,
  ) => Promise<Response>;
  /** Mounts more routes. */
  readonly extraRoutes?: (routes: Hono) => void;
}

export interface HttpServer {
  /** With the real port. */
  readonly url: string;
  readonly port: number;
  /** From now on `GET /readyz` says that the app is stopping. */
  stopReady(): void;
  /** Takes no more requests and ends those under way; twice is harmless. */
  close(): Promise<void>;
}

const CLOSE_GRACE_MS = 1_500;
/** Node looks for requests that are too slow this often. */
const CHECK_EVERY_MS = 5_000;
const KEEP_ALIVE_MS = 65_000;
const HEADERS_MS = 70_000;

/** Starts the server; rejects, naming the address, when it can't listen there. */
export async function createServer(options: HttpServerOptions): Promise<HttpServer> {
  const {
    clock,
    headersMs = HEADERS_MS,
    keepAliveMs = KEEP_ALIVE_MS,
    log,
    slackListener,
  } = options;
  let stopping = false;
  const routes = createRoutes(options, () => stopping);
  const handle = getRequestListener(routes.fetch);
  const slack =
    slackListener &&
    createSlackRoute({ listener: slackListener, clock, onSkew: options.onSlackSkew });

  const times = {
    keepAliveTimeout: keepAliveMs,
    headersTimeout: headersMs,
    requestTimeout: headersMs,
    connectionsCheckingInterval: Math.min(CHECK_EVERY_MS, headersMs),
  };
  const server = createNodeServer(times, (request, response) => {
    request.url = withoutSpareSlashes(request.url ?? '');
    const path = (request.url ?? '').split('?')[0];
    const work =
      slack && path === '/slack/events' ? slack(request, response) : handle(request, response);
    Promise.resolve(work).catch((error: unknown) => {
      log.error({ err: error, path }, 'A request could not be handled.');
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  const port = await listen(server, options);
  let closed: Promise<void> | undefined;

  return {
    url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`,
    port,
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

/** A base address that ends with a slash makes two of them. */
function withoutSpareSlashes(url: string): string {
  return url
    .replace(/^\/+(api|mcp|slack)\/+(?=[^?])/, '/$1/')
    .replace(/^\/+mcp\/*(?=\?|$)/, '/mcp');
}

function createRoutes(options: HttpServerOptions, isStopping: () => boolean): Hono {
  const routes = new Hono();
  routes.get('/healthz', async (context) => {
    // It lives all the same when its store does not answer; readiness tells that.
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
    return context.json({ error: 'Something broke here.' }, 500);
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

async function listen(server: Server, { host, port }: HttpServerOptions): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const remedy =
        error.code === 'EADDRINUSE'
          ? 'Another program listens there: stop it, or set another PORT.'
          : 'Set HOST to an address of this machine, and PORT to one that may be used.';
      const why = `Can't listen on ${host}:${port}: ${error.message}. ${remedy}`;
      reject(new Error(why, { cause: error }));
    });
    server.listen(port, host, resolve);
  });
  return (server.address() as AddressInfo).port;
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
