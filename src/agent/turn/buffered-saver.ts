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
import { StaleFenceError } from '../../domain/ports/store.ts';
import { assertCheckpoint } from '../../domain/threads/checkpoint-shape.ts';
import type { ThreadKey } from '../../domain/threads/thread-key.ts';
import { createJsonSerializer } from './json-serializer.ts';

/** The state of a thread in memory, under one hold of it. */
interface Buffered {
  readonly token: number;
  /** It is newer than what is stored, or about to be. */
  isAhead: boolean;
}

/**
 * Keeps in memory what the graph of a worker writes. The checkpoint is a cache of the turn, which its
 * records tell: it is stored with the commit of what the graph has led to, so whoever dies before has
 * lost nothing. A hold that is known to be old is refused with `StaleFenceError`; of others the commit
 * tells. Without a fence it reads what is stored.
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

  /** The state of a thread as text, for the commit that goes with it; undefined where there is none. */
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

  /** The thread waits for others: what no commit has taken along is stored, and memory is free. */
  async rest(fence: ThreadFence): Promise<void> {
    const { thread, token } = fence;
    const buffered = this.#buffered.get(thread);
    if (buffered?.token !== token) return;
    const state = buffered.isAhead ? await this.snapshot(fence) : undefined;
    if (state !== undefined) await this.#stored.keep(thread, state, fence);
    if (this.#buffered.get(thread) === buffered) await this.#drop(thread);
  }

  /** Begins anew in memory: what is stored is that of an earlier turn, or goes with its end. */
  async forget({ thread, token }: ThreadFence): Promise<void> {
    // Whoever was overtaken is told so; what is stored need not be readable.
    await this.#load(thread, token).catch((error: unknown) => {
      if (!(error instanceof UnreadableStateError)) throw error;
    });
    await this.#drop(thread);
    this.#buffered.set(thread, { token, isAhead: false });
  }

  #assertNewest(thread: string, token: number): void {
    if ((this.#buffered.get(thread)?.token ?? 0) <= token) return;
    throw new StaleFenceError(
      `Refused a write to ${thread}: it came with fence ${token}, and another worker has it.`,
    );
  }

  /** What is stored is the ground on which memory goes on; what an earlier hold has left in it is not. */
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

  async #goAhead(config: RunnableConfig): Promise<void> {
    const { thread, token } = readConfig(config);
    if (token === undefined) throw new TypeError('A write of the graph carries no fence.');
    (await this.#load(thread, token)).isAhead = true;
  }

  async #drop(thread: string): Promise<void> {
    this.#buffered.delete(thread);
    await super.deleteThread(thread);
  }
}

const NO_METADATA: CheckpointMetadata = { source: 'loop', step: -1, parents: {} };

/** What a snapshot holds. */
interface Parts {
  readonly checkpoint?: unknown;
  readonly metadata?: CheckpointMetadata;
  readonly parent?: string;
  readonly pendingWrites?: CheckpointTuple['pendingWrites'];
}

function readParts(found: unknown): Parts {
  if (typeof found === 'object' && found !== null) return found;
  throw new UnreadableStateError('The stored state of a thread is no checkpoint.');
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
