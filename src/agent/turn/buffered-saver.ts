/**
 * Buffers a worker's checkpoints in memory. The checkpoint is only a cache: the turn can be rebuilt from
 * its records. It is stored in the commit of the graph's result, so a crash before that loses nothing.
 */
import type { RunnableConfig } from '@langchain/core/runnables';
import {
  type Checkpoint,
  type CheckpointMetadata,
  type CheckpointTuple,
  emptyCheckpoint,
  MemorySaver,
  type PendingWrite,
} from '@langchain/langgraph-checkpoint';
import type { ThreadFence } from '../../domain/ports/agenda.ts';
import { type Checkpoints, UnreadableStateError } from '../../domain/ports/agent.ts';
import { assertCheckpoint } from '../../domain/ports/checkpoint-shape.ts';
import { StaleFenceError } from '../../domain/ports/store.ts';
import type { ThreadKey } from '../../domain/threads/thread-key.ts';
import { createJsonSerializer } from './json-serializer.ts';

/** A thread's state in memory, for one hold of its lease. */
interface Buffered {
  readonly token: number;
  /** Whether memory is, or is about to be, newer than the stored state. */
  isAhead: boolean;
}

/**
 * Throws `StaleFenceError` for a fence known to be stale; the commit detects all others. Without a fence
 * it reads the stored state.
 */
export class BufferedSaver extends MemorySaver {
  readonly #stored: Checkpoints;
  readonly #buffered = new Map<string, Buffered>();

  constructor(stored: Checkpoints) {
    super(createJsonSerializer());
    this.#stored = stored;
  }

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const { thread, token } = readConfig(config);
    if (token === undefined) return await this.#read(thread);
    await this.#load(thread, token);
    return await super.getTuple(config);
  }

  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
  ): Promise<RunnableConfig> {
    await this.#markAhead(config);
    return await super.put(config, checkpoint, metadata);
  }

  override async putWrites(
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
    taskPath = '',
  ): Promise<void> {
    await this.#markAhead(config);
    await super.putWrites(config, writes, taskId, taskPath);
  }

  /**
   * Returns a thread's state as text, to be stored in the same commit; undefined if there is none.
   */
  async snapshot({ thread, token }: ThreadFence): Promise<string | undefined> {
    const buffered = await this.#load(thread, token);
    const newest = await super.getTuple(atRoot(thread));
    if (!newest) return undefined;
    buffered.isAhead = false;
    const { checkpoint, metadata, parentConfig, pendingWrites } = newest;
    const [, bytes] = await this.serde.dumpsTyped({
      ...{ checkpoint, metadata, pendingWrites },
      parent: parentConfig?.configurable?.checkpoint_id,
    });
    return new TextDecoder().decode(bytes);
  }

  /** Called when the thread goes idle: stores uncommitted state and frees the memory. */
  async rest(fence: ThreadFence): Promise<void> {
    const { thread, token } = fence;
    const buffered = this.#buffered.get(thread);
    if (buffered?.token !== token) return;
    const state = buffered.isAhead ? await this.snapshot(fence) : undefined;
    if (state !== undefined) await this.#stored.keep(thread, state, fence);
    if (this.#buffered.get(thread) === buffered) await this.#drop(thread);
  }

  /** Starts with an empty state in memory. The stored state belongs to an earlier turn. */
  async forget({ thread, token }: ThreadFence): Promise<void> {
    // Checks the fence. The stored state may be unreadable: it is not used.
    await this.#load(thread, token).catch((error: unknown) => {
      if (!(error instanceof UnreadableStateError)) throw error;
    });
    await this.#drop(thread);
    this.#buffered.set(thread, { token, isAhead: false });
  }

  #assertNewest(thread: string, token: number): void {
    if ((this.#buffered.get(thread)?.token ?? 0) <= token) return;
    throw new StaleFenceError(
      `Refused a write to ${thread}: fence ${token} is stale, another worker holds the thread.`,
    );
  }

  /** Loads the stored state for a new hold. Discards what an earlier hold left in memory. */
  async #load(thread: ThreadKey, token: number): Promise<Buffered> {
    this.#assertNewest(thread, token);
    const known = this.#buffered.get(thread);
    if (known?.token === token) return known;
    const stored = await this.#read(thread, { thread, token });
    this.#assertNewest(thread, token);
    await this.#drop(thread);
    if (stored) await this.#restore(stored);
    const loaded = { token, isAhead: false };
    this.#buffered.set(thread, loaded);
    return loaded;
  }

  async #read(thread: ThreadKey, fence?: ThreadFence): Promise<CheckpointTuple | undefined> {
    const text = await this.#stored.read(thread, fence);
    if (text === undefined) return undefined;
    const found: unknown = await this.serde.loadsTyped('json', text);
    const { checkpoint, metadata, parent, pendingWrites = [] } = readParts(found);
    assertCheckpoint<Checkpoint>(checkpoint, emptyCheckpoint().v);
    return {
      config: atRoot(thread, checkpoint.id),
      ...{ checkpoint, pendingWrites },
      ...(metadata && { metadata }),
      ...(parent !== undefined && { parentConfig: atRoot(thread, parent) }),
    };
  }

  async #restore(stored: CheckpointTuple): Promise<void> {
    const { checkpoint, config, metadata, parentConfig, pendingWrites = [] } = stored;
    const thread: string = config.configurable?.thread_id;
    await super.put(parentConfig ?? atRoot(thread), checkpoint, metadata ?? NO_METADATA);
    const tasks = new Map<string, PendingWrite[]>();
    for (const [taskId, channel, value] of pendingWrites) {
      tasks.set(taskId, [...(tasks.get(taskId) ?? []), [channel, value]]);
    }
    for (const [taskId, writes] of tasks) await super.putWrites(config, writes, taskId);
  }

  async #markAhead(config: RunnableConfig): Promise<void> {
    const { thread, token } = readConfig(config);
    if (token === undefined) throw new TypeError('A write of the graph has no fence.');
    (await this.#load(thread, token)).isAhead = true;
  }

  async #drop(thread: string): Promise<void> {
    this.#buffered.delete(thread);
    await super.deleteThread(thread);
  }
}

const NO_METADATA: CheckpointMetadata = { source: 'loop', step: -1, parents: {} };

/** The content of a snapshot. */
interface Parts {
  readonly checkpoint?: unknown;
  readonly metadata?: CheckpointMetadata;
  readonly parent?: string;
  readonly pendingWrites?: CheckpointTuple['pendingWrites'];
}

function readParts(found: unknown): Parts {
  if (typeof found === 'object' && found !== null) return found;
  throw new UnreadableStateError('The stored state of a thread is not a checkpoint.');
}

function readConfig({ configurable }: RunnableConfig) {
  const thread: ThreadKey = configurable?.thread_id;
  const token: number | undefined = configurable?.fence_token;
  return { thread, token };
}

function atRoot(thread: string, checkpoint?: string) {
  const id = checkpoint === undefined ? {} : { checkpoint_id: checkpoint };
  return { configurable: { thread_id: thread, checkpoint_ns: '', ...id } };
}
