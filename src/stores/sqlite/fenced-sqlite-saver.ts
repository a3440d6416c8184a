import type { RunnableConfig } from '@langchain/core/runnables';
import {
  type Checkpoint,
  type CheckpointMetadata,
  type CheckpointTuple,
  copyCheckpoint,
  emptyCheckpoint,
  type PendingWrite,
  type SerializerProtocol,
  WRITES_IDX_MAP,
} from '@langchain/langgraph-checkpoint';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import type { Database } from 'better-sqlite3';
import BetterSqlite from 'better-sqlite3';
import type { ThreadFence } from '../../domain/ports/agenda.ts';
import { UnreadableStateError } from '../../domain/ports/agent.ts';
import { assertCheckpoint } from '../../domain/threads/checkpoint-shape.ts';
import {
  checkpointNamespaceOf,
  checkpointOfWrites,
  requiredFenceOf,
} from '../checkpoints/checkpoint-config.ts';
import { withoutChecksum } from '../checkpoints/strict-serializer.ts';
import type { Fence } from '../records.ts';
import { fenceOf, staleFenceError } from '../repositories/documents/change-records.ts';
import { explainSqliteFailure } from './sqlite-failure.ts';

/** What a saver works on. */
interface SaverDeps {
  readonly db: Database;
  readonly file: string;
  /** Whether a lease is the newest of its unit. */
  isHeld(fence: Fence): boolean;
}

/**
 * Keeps checkpoints beside the ports, for threads whose `thread_id` is a thread's key. A write
 * carries the thread's fence as `configurable.fence_token` and is refused with `StaleFenceError` in
 * its own transaction when the fence is old, and so is a read that carries one: a worker that was stopped and wakes up would otherwise
 * put its older state over a younger worker's.
 */
export class FencedSqliteSaver extends SqliteSaver {
  readonly #deps: SaverDeps;

  constructor(deps: SaverDeps, serde: SerializerProtocol) {
    super(deps.db, serde);
    this.#deps = deps;
    this.setup();
  }

  /** Who holds what is in memory, and changes in no transaction. */
  #assertHeld(fence: ThreadFence): void {
    const hold = fenceOf(fence);
    if (!this.#deps.isHeld(hold)) throw staleFenceError(hold.unit, hold);
  }

  /** Nobody was promised a checkpoint: it is durable with the next commit that waits. */
  #write(fence: ThreadFence, work: () => void): void {
    this.#assertHeld(fence);
    try {
      this.db.transaction(work).immediate();
    } catch (error) {
      throw explainSqliteFailure(error, this.#deps.file);
    }
  }

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    // Whoever was overtaken does not come to ask the model.
    if (config.configurable?.fence_token !== undefined) {
      this.#assertHeld(requiredFenceOf(config));
    }
    const tuple = await super.getTuple(config).catch((error: unknown) => {
      throw this.#explain(error);
    });
    if (tuple) assertCheckpoint<Checkpoint>(tuple.checkpoint, emptyCheckpoint().v);
    return tuple;
  }

  /** What is not the database's own failure is a fault of what it gave out. */
  #explain(error: unknown): unknown {
    if (!this.db.open || error instanceof BetterSqlite.SqliteError) return error;
    if (error instanceof UnreadableStateError) return error;
    return new UnreadableStateError('A stored checkpoint can’t be read.', { cause: error });
  }

  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
  ): Promise<RunnableConfig> {
    const fence = requiredFenceOf(config);
    const ns = checkpointNamespaceOf(config);
    const [[type, state], [metadataType, about]] = await Promise.all([
      this.serde.dumpsTyped(copyCheckpoint(checkpoint)),
      this.serde.dumpsTyped(metadata),
    ]);
    if (type !== metadataType) {
      throw new Error(`Checkpoint ${checkpoint.id} is stored as ${type}, its metadata is not.`);
    }
    const parent = config.configurable?.checkpoint_id ?? null;
    this.#write(fence, () => {
      this.db
        .prepare(`
          INSERT OR REPLACE INTO checkpoints (thread_id, checkpoint_ns, checkpoint_id,
            parent_checkpoint_id, type, checkpoint, metadata)
          VALUES (?, ?, ?, ?, ?, ?, ?)`)
        // Searches look into the metadata as JSON.
        .run(fence.thread, ns, checkpoint.id, parent, type, state, withoutChecksum(about));
    });
    return {
      configurable: {
        thread_id: fence.thread,
        checkpoint_ns: ns,
        checkpoint_id: checkpoint.id,
      },
    };
  }

  override async putWrites(
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
  ): Promise<void> {
    const fence = requiredFenceOf(config);
    const ns = checkpointNamespaceOf(config);
    const checkpointId = checkpointOfWrites(config);
    const rows = await Promise.all(
      writes.map(async ([channel, value], index) => {
        const [type, text] = await this.serde.dumpsTyped(value);
        return [taskId, WRITES_IDX_MAP[channel] ?? index, channel, type, text];
      }),
    );
    // As in the stock saver: errors and interrupts of a task are replaced, its results are kept.
    const isSpecial = writes.every(([channel]) => channel in WRITES_IDX_MAP);
    this.#write(fence, () => {
      const insert = this.db.prepare(`
        INSERT OR ${isSpecial ? 'REPLACE' : 'IGNORE'} INTO writes
          (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, value)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);
      for (const row of rows) insert.run(fence.thread, ns, checkpointId, ...row);
    });
  }
}
