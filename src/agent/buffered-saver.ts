import type { RunnableConfig } from '@langchain/core/runnables';
import {
  type Checkpoint,
  type CheckpointMetadata,
  type CheckpointTuple,
  MemorySaver,
  type PendingWrite,
} from '@langchain/langgraph-checkpoint';
import { StaleFenceError } from '../domain/store.ts';
import type { ThreadKey } from '../domain/thread-key.ts';
import type { TurnSaver } from './create-agent.ts';

/** What is known of the stored state of a thread, under one hold of it. */
interface Known {
  readonly token: number;
  /** The newest checkpoint that is stored; undefined where there is none. */
  stored: CheckpointTuple | undefined;
  /** What is in memory goes on from that. */
  isAhead: boolean;
}

/**
 * Keeps in memory what the graph of a worker writes, until its thread rests: the checkpoint is a cache
 * of the turn, which its records tell, so whoever dies before has lost nothing. A hold that is known to
 * be old is refused with `StaleFenceError`; of others the commit of what the graph has led to tells.
 */
export class BufferedSaver extends MemorySaver {
  readonly #inner: TurnSaver;
  readonly #known = new Map<string, Known>();

  constructor(inner: TurnSaver) {
    super();
    this.#inner = inner;
  }

  override getNextVersion(current: number | undefined): number {
    return this.#inner.getNextVersion(current);
  }

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const { thread, token } = readConfig(config);
    const known =
      token === undefined ? this.#known.get(thread) : await this.#knownTo(thread, token);
    if (known?.isAhead) return await super.getTuple(config);
    if (known && !known.stored) return undefined;
    return known ? known.stored : await this.#read(config, thread, token);
  }

  async #read(config: RunnableConfig, thread: string, token: number | undefined) {
    const stored = await this.#inner.getTuple(config);
    if (token !== undefined) this.#known.set(thread, { token, stored, isAhead: false });
    return stored;
  }

  /** What an earlier hold has left is not that of this one. */
  async #knownTo(thread: string, token: number): Promise<Known | undefined> {
    const known = this.#known.get(thread);
    if (known && known.token > token) throw stale(thread, token);
    if (known && known.token < token) await this.#drop(thread);
    return this.#known.get(thread);
  }

  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
  ): Promise<RunnableConfig> {
    await this.#goAhead(config);
    return await super.put(config, checkpoint, metadata);
  }

  override async putWrites(
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
    taskPath = '',
  ): Promise<void> {
    await this.#goAhead(config);
    await super.putWrites(config, writes, taskId, taskPath);
  }

  /** What is stored is the ground on which memory goes on. */
  async #goAhead(config: RunnableConfig): Promise<void> {
    const { thread, token } = readConfig(config);
    if (token === undefined) throw new TypeError('A write of the graph carries no fence.');
    const known = (await this.#knownTo(thread, token)) ?? (await this.#learn(thread, token));
    if (known.isAhead) return;
    known.isAhead = true;
    const { stored } = known;
    if (!stored) return;
    await super.put(
      stored.parentConfig ?? atRoot(thread),
      stored.checkpoint,
      stored.metadata ?? { source: 'loop', step: -1, parents: {} },
    );
    for (const [taskId, writes] of writesByTask(stored)) {
      await super.putWrites(stored.config, writes, taskId);
    }
  }

  async #learn(thread: string, token: number): Promise<Known> {
    await this.#read({ configurable: { thread_id: thread, fence_token: token } }, thread, token);
    const known = this.#known.get(thread);
    if (!known) throw stale(thread, token);
    return known;
  }

  /** Stores what is in memory of a thread that rests, and forgets it. */
  async rest(thread: ThreadKey, token: number): Promise<void> {
    const known = this.#known.get(thread);
    if (known?.token !== token) return;
    const newest = known.isAhead ? await super.getTuple(atRoot(thread)) : undefined;
    if (newest) await this.#store(newest, known);
    if (this.#known.get(thread) === known) await this.#drop(thread);
  }

  async #store(newest: CheckpointTuple, { stored, token }: Known): Promise<void> {
    const thread: string = newest.config.configurable?.thread_id;
    const at = (id: string | undefined) => ({
      configurable: {
        ...{ thread_id: thread, checkpoint_ns: '', fence_token: token },
        ...(id !== undefined && { checkpoint_id: id }),
      },
    });
    const { checkpoint, metadata } = newest;
    const parent = stored?.checkpoint.id;
    if (parent !== checkpoint.id) {
      const about = metadata ?? { source: 'loop', step: -1, parents: {} };
      const all = checkpoint.channel_versions;
      await this.#inner.put(at(parent), checkpoint, about, all);
    }
    for (const [taskId, writes] of writesByTask(newest)) {
      await this.#inner.putWrites(at(checkpoint.id), writes, taskId);
    }
  }

  async #drop(thread: string): Promise<void> {
    this.#known.delete(thread);
    await super.deleteThread(thread);
  }

  /** Deletes all that is kept of a thread's graph; throws `StaleFenceError` when the token is old. */
  async forget(thread: ThreadKey, token: number): Promise<void> {
    const known = await this.#knownTo(thread, token);
    await this.#drop(thread);
    if (known === undefined || known.stored) await this.#inner.forget(thread, token);
    this.#known.set(thread, { token, stored: undefined, isAhead: false });
  }
}

function stale(thread: string, token: number): StaleFenceError {
  return new StaleFenceError(
    `Refused a write to ${thread}: it came with fence ${token}, and another worker has it.`,
  );
}

function readConfig({ configurable }: RunnableConfig) {
  const thread: string = configurable?.thread_id;
  const token: number | undefined = configurable?.fence_token;
  return { thread, token };
}

function atRoot(thread: string): RunnableConfig {
  return { configurable: { thread_id: thread, checkpoint_ns: '' } };
}

function writesByTask({
  pendingWrites = [],
}: CheckpointTuple): ReadonlyMap<string, PendingWrite[]> {
  const tasks = new Map<string, PendingWrite[]>();
  for (const [taskId, channel, value] of pendingWrites) {
    tasks.set(taskId, [...(tasks.get(taskId) ?? []), [channel, value]]);
  }
  return tasks;
}
