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
import { assertCheckpoint } from '../../domain/ports/checkpoint-shape.ts';
import {
  checkpointNamespaceOf,
  checkpointOfWrites,
  requiredFenceOf,
} from '../checkpoints/checkpoint-config.ts';
import { withoutChecksum } from '../checkpoints/strict-serializer.ts';
import type { Fence } from '../records.ts';
import { fenceOf, staleFenceError } from '../repositories/documents/change-records.ts';
import { explainSqliteFailure } from './sqlite-failure.ts';

/** What a saver needs. */
interface SaverDeps {
  readonly db: Database;
  readonly file: string;
  /** Whether a fence is the newest of its unit. */
  isHeld(fence: Fence): boolean;
}

/**
 * LangGraph saver; `thread_id` is a thread's key. Writes carry the thread's fence as
 * `configurable.fence_token`. With an old fence they throw `StaleFenceError`, and so do reads that carry
 * one: a worker that was suspended must not overwrite newer state.
 */
export class FencedSqliteSaver extends SqliteSaver {
  readonly #deps: SaverDeps;

  constructor(deps: SaverDeps, serde: SerializerProtocol) {
    super(deps.db, serde);
    this.#deps = deps;
    this.setup();
  }

  /** Leases are in memory and can't change during a transaction, so a check before it is enough. */
  #assertHeld(fence: ThreadFence): void {
    const hold = fenceOf(fence);
    if (!this.#deps.isHeld(hold)) throw staleFenceError(hold.unit, hold);
  }

  /** Checkpoints can be lost, so they become durable with the next commit that is `now`. */
  #write(fence: ThreadFence, work: () => void): void {
    this.#assertHeld(fence);
    try {
      this.db.transaction(work).immediate();
    } catch (error) {
      throw explainSqliteFailure(error, this.#deps.file);
    }
  }

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    // Stops a worker that lost its lease before it calls the model.
    if (config.configurable?.fence_token !== undefined) {
      this.#assertHeld(requiredFenceOf(config));
    }
    const tuple = await super.getTuple(config).catch((error: unknown) => {
      throw this.#explain(error);
    });
    if (tuple) assertCheckpoint<Checkpoint>(tuple.checkpoint, emptyCheckpoint().v);
    return tuple;
  }

  /** Any error that isn't SQLite's own means that stored data is damaged. */
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
        // LangGraph's searches read the metadata as JSON.
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
    // Like the stock saver: a task's errors and interrupts are replaced, its results are kept.
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
