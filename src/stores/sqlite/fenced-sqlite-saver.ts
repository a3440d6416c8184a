import type { RunnableConfig } from '@langchain/core/runnables';
import {
  type Checkpoint,
  type CheckpointMetadata,
  type CheckpointTuple,
  copyCheckpoint,
  type PendingWrite,
  type SerializerProtocol,
  WRITES_IDX_MAP,
} from '@langchain/langgraph-checkpoint';
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite';
import type { Database } from 'better-sqlite3';
import BetterSqlite from 'better-sqlite3';
import { UnreadableStateError } from '../../domain/agent.ts';
import type { ThreadKey } from '../../domain/thread-key.ts';
import { checkpointOfWrites, fenceOfWrite, namespaceOf } from '../checkpoint-config.ts';
import { assertCheckpoint } from '../read-checkpoint.ts';
import { withoutChecksum } from '../strict-serializer.ts';
import type { AgendaRows } from './sqlite-agenda.ts';
import type { Transact } from './transact.ts';

/**
 * Keeps checkpoints beside the ports, for threads whose `thread_id` is a thread's key. A write
 * carries the thread's fence as `configurable.fence_token` and is refused with `StaleFenceError` in
 * its own transaction when the fence is old, and so is a read that carries one: a worker that was stopped and wakes up would otherwise
 * put its older state over a younger worker's.
 */
export class FencedSqliteSaver extends SqliteSaver {
  readonly #transact: Transact;
  readonly #agenda: AgendaRows;

  constructor(db: Database, transact: Transact, agenda: AgendaRows, serde: SerializerProtocol) {
    super(db, serde);
    this.#transact = transact;
    this.#agenda = agenda;
    this.setup();
  }

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    // Whoever was overtaken does not come to ask the model.
    if (config.configurable?.fence_token !== undefined) {
      const fence = fenceOfWrite(config);
      this.#transact.read(() => this.#agenda.assertFence(fence));
    }
    const tuple = await super.getTuple(config).catch((error: unknown) => {
      throw this.#explain(error);
    });
    if (tuple) assertCheckpoint(tuple.checkpoint);
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
    const fence = fenceOfWrite(config);
    const ns = namespaceOf(config);
    const [[type, state], [metadataType, about]] = await Promise.all([
      this.serde.dumpsTyped(copyCheckpoint(checkpoint)),
      this.serde.dumpsTyped(metadata),
    ]);
    if (type !== metadataType) {
      throw new Error(`Checkpoint ${checkpoint.id} is stored as ${type}, its metadata is not.`);
    }
    const parent = config.configurable?.checkpoint_id ?? null;
    this.#transact.writeBehind(() => {
      this.#agenda.assertFence(fence);
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
    const fence = fenceOfWrite(config);
    const ns = namespaceOf(config);
    const checkpointId = checkpointOfWrites(config);
    const rows = await Promise.all(
      writes.map(async ([channel, value], index) => {
        const [type, text] = await this.serde.dumpsTyped(value);
        return [taskId, WRITES_IDX_MAP[channel] ?? index, channel, type, text];
      }),
    );
    // As in the stock saver: errors and interrupts of a task are replaced, its results are kept.
    const isSpecial = writes.every(([channel]) => channel in WRITES_IDX_MAP);
    this.#transact.writeBehind(() => {
      this.#agenda.assertFence(fence);
      const insert = this.db.prepare(`
        INSERT OR ${isSpecial ? 'REPLACE' : 'IGNORE'} INTO writes
          (thread_id, checkpoint_ns, checkpoint_id, task_id, idx, channel, type, value)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)`);
      for (const row of rows) insert.run(fence.thread, ns, checkpointId, ...row);
    });
  }

  /** Deletes all that is kept of a thread's graph; throws `StaleFenceError` when the token is old. */
  async forget(thread: ThreadKey, token: number): Promise<void> {
    this.#transact.write(() => {
      this.#agenda.assertFence({ thread, token });
      this.db.prepare('DELETE FROM checkpoints WHERE thread_id = ?').run(thread);
      this.db.prepare('DELETE FROM writes WHERE thread_id = ?').run(thread);
    });
  }
}
