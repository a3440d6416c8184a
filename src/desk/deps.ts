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
import type { StopSignals } from './control/stop-signals.ts';
import type { IntegrityAlarm } from './decisions/integrity-alarm.ts';

/** Everything that the use cases stand on. */
export interface DeskDeps {
  readonly store: Store;
  readonly agent: Agent;
  readonly chat: Chat;
  /** All tools there are; `toolsOf` tells which of them an agent has. */
  readonly toolbox: Toolbox;
  readonly helpers: readonly Helper[];
  readonly gate: Gate;
  /** Where the files that people attach come from, and where they are put. */
  readonly attachments: { readonly source: AttachmentSource; readonly folder: AttachmentFolder };
  /** Reads what people said in a thread. (Default: nothing is read.) */
  readonly readThread?: ReadThread;
  readonly directory: Directory;
  /** (Default: nobody can open anything, and nothing is gone.) */
  readonly visibility?: Visibility | undefined;
  readonly senderPolicy: SenderPolicy;
  readonly signals: StopSignals;
  readonly clock: Clock;
  readonly log: Log;
  readonly integrity: IntegrityAlarm;
  /** Makes the unguessable part of an id: at least 128 random bits. */
  readonly newId: () => string;
  /** How long a tool may run, in milliseconds. */
  readonly toolTimeoutMs: number;
  /** How long a worker that is not heard of keeps what it works on. (Default: 12 s.) */
  readonly leaseMs?: number | undefined;
  /** Whether people see below an answer what it took of the model. (Default: false.) */
  readonly showsUsage?: boolean;
  /** How many calls of a person may wait for decisions at a time. (Default: any number.) */
  readonly maxPendingPerPerson?: number;
  /** How the records are kept. (Default: for ever.) */
  readonly retention?: RetentionSettings;
  /** Name of the graph that is the agent, and remembers threads itself. (Default: ours is, and does not.) */
  readonly graph?: string | undefined;
  /** Ids of those who can mend what keeps a card from its channel; they are told so. (Default: nobody.) */
  readonly admins?: ReadonlySet<string>;
  /** The workspace of those. */
  readonly team?: string;
  /** Hears of stored records that are damaged. (Default: nobody does.) */
  readonly onDamaged?: OnDamaged;
  /** More cards than this in a channel within a minute are announced by one message in place of a mention each. (Default: 10.) */
  readonly digestOver?: number;
  /** Reaches programs that want to be told of their calls. (Default: none is told.) */
  readonly callbacks?: Callbacks;
}

/** How long the records are kept. */
export interface RetentionSettings {
  /** How many days an entry of the audit is kept; without it for ever, as the other. */
  readonly auditDays?: number | undefined;
  readonly historyDays?: number | undefined;
  /** For how long (ms) the policy of this moment looks back at calls. */
  readonly lookBackMs: () => number;
}

/** A worker's hold on what it works on, while it works. */
export interface HeldWork {
  readonly fence: number;
  /** Work of the same key that failed or died before. */
  readonly tries: number;
  /** Aborts when the lease was lost or the process must end. */
  readonly signal: AbortSignal;
  /** Rejects with `StaleFenceError` when the lease's time is over and another worker may have the work: to be awaited right before what others see, which no fence guards. */
  assertHeld(): Promise<void>;
}
