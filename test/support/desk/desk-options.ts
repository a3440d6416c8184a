import type { ToolDefinition } from '../../../src/agent/tools/define-tool.ts';
import type { RetentionSettings } from '../../../src/desk/deps.ts';
import type { OnDamaged } from '../../../src/domain/audit/damaged-record.ts';
import type { SenderPolicy } from '../../../src/domain/people/sender-policy.ts';
import type { Gate } from '../../../src/domain/policy/route.ts';
import type { Agent } from '../../../src/domain/ports/agent.ts';
import type { Callbacks } from '../../../src/domain/ports/callback.ts';
import type { Chat } from '../../../src/domain/ports/chat.ts';
import type { Clock } from '../../../src/domain/ports/clock.ts';
import type { Directory } from '../../../src/domain/ports/directory.ts';
import type { AttachmentSource } from '../../../src/domain/ports/file-ports.ts';
import type { Log } from '../../../src/domain/ports/log.ts';
import type { Store } from '../../../src/domain/ports/store.ts';
import type { Helper } from '../../../src/domain/tools/helper.ts';
import type { Tool } from '../../../src/domain/tools/tool.ts';
import type { RedisStore } from '../../../src/stores/redis/create-redis-store.ts';
import type { SqliteStore } from '../../../src/stores/sqlite/create-sqlite-store.ts';

/** Options of a test desk. */
export interface DeskOptions {
  readonly gate?: Gate;
  /** Makes the gate from the dependencies of the desk, instead of `gate`. */
  readonly gateOf?: (desk: { readonly store: Store; readonly clock: Clock }) => Gate;
  /** (Default: SQLite in its own folder.) */
  readonly openStore?: (deps: {
    readonly clock: Clock;
    readonly onWake: () => void;
    readonly onDamaged: OnDamaged;
  }) => Promise<SqliteStore | RedisStore>;
  readonly tools: readonly ToolDefinition[];
  /** Makes the agent instead of ours. */
  readonly agentOf?: (store: SqliteStore) => Promise<Agent>;
  /** Ready-made tools. */
  readonly made?: readonly Tool[];
  /** The helpers of the agent, with the tool that calls them. */
  readonly helpers?: readonly Helper[];
  /** The first worker never checks the time: its leases expire, as if its process were suspended. */
  readonly stalled?: boolean;
  /** (Default: a strict mock of OpenAI.) */
  readonly modelUrl?: string;
  readonly modelTimeoutMs?: number;
  readonly modelRetries?: number;
  readonly contextTokens?: number;
  readonly showsUsage?: boolean;
  /** (Default: nothing is logged.) */
  readonly log?: Partial<Log>;
  /** The source of attached files; without it there are none. */
  readonly source?: AttachmentSource;
  /** Whether the model sees images. */
  readonly seesImages?: boolean;
  /** (Default: everybody is a member, and nobody an admin.) */
  readonly directory?: Directory;
  readonly talk?: SenderPolicy;
  readonly maxPendingPerPerson?: number;
  readonly maxPendingPerKey?: number;
  /** (Default: nothing is sealed or removed.) */
  readonly keeping?: RetentionSettings;
  /** Gets reports about channels that accept no cards. */
  readonly admins?: ReadonlySet<string>;
  /** Sends callbacks to programs. */
  readonly callbacks?: Callbacks;
  readonly shownOn?: Chat;
}
