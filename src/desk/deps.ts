import type { OnDamaged } from '../domain/audit/damaged-record.ts';
import type { SenderPolicy } from '../domain/people/sender-policy.ts';
import type { Gate } from '../domain/policy/route.ts';
import type { Agent } from '../domain/ports/agent.ts';
import type { Callbacks } from '../domain/ports/callback.ts';
import type { Chat } from '../domain/ports/chat.ts';
import type { Clock } from '../domain/ports/clock.ts';
import type { Directory } from '../domain/ports/directory.ts';
import type { AttachmentFolder, AttachmentSource } from '../domain/ports/file-ports.ts';
import type { Log } from '../domain/ports/log.ts';
import type { Store } from '../domain/ports/store.ts';
import type { Visibility } from '../domain/ports/visibility.ts';
import type { ReadThread } from '../domain/threads/thread-background.ts';
import type { Helper } from '../domain/tools/helper.ts';
import type { Toolbox } from '../domain/tools/tool.ts';
import type { UnstartedClaims } from './calls/execution/unstarted-claims.ts';
import type { StopSignals } from './control/stop-signals.ts';
import type { IntegrityAlarm } from './decisions/integrity-alarm.ts';

/** All dependencies of the use cases. */
export interface DeskDeps {
  readonly store: Store;
  readonly agent: Agent;
  readonly chat: Chat;
  /** All tools; `toolsOf` returns those of one agent. */
  readonly toolbox: Toolbox;
  readonly helpers: readonly Helper[];
  readonly gate: Gate;
  /** Where people's attachments come from and where they are saved. */
  readonly attachments: { readonly source: AttachmentSource; readonly folder: AttachmentFolder };
  /** Reads earlier messages of a thread. Default: none are read. */
  readonly readThread?: ReadThread;
  readonly directory: Directory;
  /** Default: nobody can open anything, and nothing counts as deleted. */
  readonly visibility?: Visibility | undefined;
  readonly senderPolicy: SenderPolicy;
  readonly signals: StopSignals;
  /** Shared by the desk and the worker of a process. */
  readonly claims: UnstartedClaims;
  readonly clock: Clock;
  readonly log: Log;
  readonly integrity: IntegrityAlarm;
  /** Makes the unguessable part of an id: at least 128 random bits. */
  readonly newId: () => string;
  /** Timeout of a tool run, in milliseconds. */
  readonly toolTimeoutMs: number;
  /** Lease time of a worker, in milliseconds. Default: `LEASE_MS`. */
  readonly leaseMs?: number | undefined;
  /** Whether answers show their model usage. Default: false. */
  readonly showsUsage?: boolean;
  /** How many calls of one person may be pending at a time. Default: unlimited. */
  readonly maxPendingPerPerson?: number;
  /** Retention of records. Default: kept without limit. */
  readonly retention?: RetentionSettings;
  /**
   * Name of a foreign graph that is the agent and remembers threads itself. Default: our own graph.
   */
  readonly graph?: string | undefined;
  /** Ids of users who are told when a channel refuses cards. Default: nobody. */
  readonly admins?: ReadonlySet<string>;
  /** The workspace of the admins. */
  readonly team?: string;
  /** Called for damaged records. */
  readonly onDamaged?: OnDamaged;
  /**
   * More cards than this per channel and minute are announced by one digest message instead of
   * mentions. Default: 10.
   */
  readonly digestOver?: number;
  /** Sends callbacks to programs. Default: none are sent. */
  readonly callbacks?: Callbacks;
}

/** How long records are kept. */
export interface RetentionSettings {
  /** Days to keep audit entries. Default: without limit, as for `historyDays`. */
  readonly auditDays?: number | undefined;
  readonly historyDays?: number | undefined;
  /** How far back (ms) the current policy looks at calls. */
  readonly lookBackMs: () => number;
}

/** A dead worker's tasks are free after this time (ms). Event loops may stall for 2/3 of it. */
export const LEASE_MS = 12_000;

/** A worker's hold on a task while it runs. */
export interface HeldWork {
  readonly fence: number;
  /** Earlier tries of the same task that failed or died. */
  readonly tries: number;
  /** Aborts when the lease is lost or the process must end. */
  readonly signal: AbortSignal;
  /**
   * Rejects with `StaleFenceError` once another worker may have the task. Await it right before
   * external effects, which no fence protects.
   */
  assertHeld(): Promise<void>;
}
