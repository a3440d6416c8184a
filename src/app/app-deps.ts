/** The dependencies of the app beside its settings, and its interface once started. */
import type { Server } from 'node:http';
import type { Hono } from 'hono';
import type { Logger } from 'pino';
import type { ToolDefinition } from '../agent/tools/define-tool.ts';
import type { RouteControl } from '../desk/control/routes.ts';
import type { Gate } from '../domain/policy/route.ts';
import type { Clock } from '../domain/ports/clock.ts';
import type { Keys } from '../domain/ports/store.ts';
import type { WebAccess } from '../net/ssrf-guard.ts';
import type { SlackConnection } from '../slack/transport/connect-slack.ts';
import type { AppEvents } from './app-events.ts';

/** Replacements of the defaults, for tests. */
export interface AppOverrides {
  readonly gate?: Gate;
  readonly toolTimeoutMs?: number;
  readonly stopGraceMs?: number;
  readonly leaseMs?: number;
  /** (Default: the public internet.) */
  readonly reach?: WebAccess;
  /** Whether the model is checked at the start. (Default: yes.) */
  readonly checksModel?: boolean;
}

export interface AppDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly overrides?: AppOverrides;
  /** Mounts more routes on the app's own HTTP server. */
  readonly extraRoutes?: (routes: Hono) => void;
  /** A server that already listens at the configured address. The app takes it over. */
  readonly listening?: Server;
  /** More tools for the agent. The operator's own tools win over these if names are equal. */
  readonly tools?: readonly ToolDefinition[];
}

/** What every part of the app is given. */
export interface AppParts extends AppDeps {
  readonly connection: SlackConnection;
  readonly events: AppEvents;
  readonly newId: () => string;
  /** Adds what must be closed with the app, the last opened first. */
  readonly onRelease: (release: () => Promise<void>) => void;
}

/** The interface of a started app. */
export interface OpenedApp {
  /** The URL of its HTTP server. */
  readonly url: string;
  /** Sets routes, as an admin does on Home; the caller names the admin. */
  readonly routes: RouteControl;
  /** API keys of programs. */
  readonly keys: Keys;
  /** The names of the agent's current tools. */
  toolNames(): readonly string[];
}

export interface App extends OpenedApp {
  /** Finishes running work and closes everything. May be called twice. */
  stop(): Promise<void>;
}
