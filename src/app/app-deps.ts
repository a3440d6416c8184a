/** What the app is started with beside its settings, and what it is once it has started. */
import type { Server } from 'node:http';
import type { Hono } from 'hono';
import type { Logger } from 'pino';
import type { ToolDefinition } from '../agent/tools/define-tool.ts';
import type { RouteControl } from '../desk/control/routes.ts';
import type { Gate } from '../domain/policy/route.ts';
import type { Clock } from '../domain/ports/clock.ts';
import type { Keys } from '../domain/ports/store.ts';
import type { WebAccess } from '../net/ssrf-guard.ts';

/** What tests and later policies put in place of the defaults. */
export interface AppOverrides {
  readonly gate?: Gate;
  readonly toolTimeoutMs?: number;
  readonly stopGraceMs?: number;
  readonly leaseMs?: number;
  /** (Default: the public internet.) */
  readonly reach?: WebAccess;
  /** Whether the model is tried out at the start. (Default: yes.) */
  readonly checksModel?: boolean;
}

export interface AppDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly overrides?: AppOverrides;
  /** Mounts more routes on the app's own HTTP server. */
  readonly extraRoutes?: (routes: Hono) => void;
  /** Listens already where the settings say; from the start on it is the app's. */
  readonly listening?: Server;
  /** Further tools for the agent, where the operator's own don't have their names. */
  readonly tools?: readonly ToolDefinition[];
}

/** What a started app lets the one who started it do. */
export interface OpenedApp {
  /** Where its HTTP server listens. */
  readonly url: string;
  /** Sets routes as an admin who is named does on Home. */
  readonly routes: RouteControl;
  /** The keys of programs. */
  readonly keys: Keys;
  /** The names of the tools that the agent has now. */
  toolNames(): readonly string[];
}

export interface App extends OpenedApp {
  /** Finishes what is under way and closes everything; twice is harmless. */
  stop(): Promise<void>;
}
