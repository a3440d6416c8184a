import type { Agent } from '../domain/agent.ts';
import type { Chat } from '../domain/chat.ts';
import type { Clock } from '../domain/clock.ts';
import type { Log } from '../domain/log.ts';
import type { Gate } from '../domain/route.ts';
import type { Store } from '../domain/store.ts';
import type { Toolbox } from '../domain/tool.ts';
import type { IntegrityAlarm } from './integrity-alarm.ts';

/** Everything that the use cases stand on. */
export interface DeskDeps {
  readonly store: Store;
  readonly agent: Agent;
  readonly chat: Chat;
  readonly toolbox: Toolbox;
  readonly gate: Gate;
  readonly clock: Clock;
  readonly log: Log;
  readonly integrity: IntegrityAlarm;
  /** Makes the unguessable part of an id: at least 128 random bits. */
  readonly newId: () => string;
  /** How long a tool may run, in milliseconds. */
  readonly toolTimeoutMs: number;
}

/** A worker's hold on what it works on, while it works. */
export interface Work {
  readonly fence: number;
  /** Work of the same key that failed or died before. */
  readonly tries: number;
  /** Aborts when the lease was lost or the process must end. */
  readonly signal: AbortSignal;
}
