import type { RunnableConfig } from '@langchain/core/runnables';
import {
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointPendingWrite,
  type CheckpointTuple,
  compareWritesSortKeys,
  copyCheckpoint,
  emptyCheckpoint,
  getCheckpointId,
  maxChannelVersion,
  type PendingWrite,
  type SerializerProtocol,
  TASKS,
  WRITES_IDX_MAP,
  writesSortKey,
} from '@langchain/langgraph-checkpoint';
import { RedisSaver } from '@langchain/langgraph-checkpoint-redis';
import { UnreadableStateError } from '../../domain/ports/agent.ts';
import { assertCheckpoint } from '../../domain/ports/checkpoint-shape.ts';
import {
  checkpointNamespaceOf,
  checkpointOfWrites,
  requiredFenceOf,
} from '../checkpoints/checkpoint-config.ts';
import { DELETE, GET, GET_WRITES, LIST, PUT, PUT_WRITES } from './checkpoint-scripts.ts';
import type { RedisConnection } from './connection/connect-redis.ts';
import { parseReplyList, parseText, parseTextList } from './connection/parse-reply.ts';
import type { Reply } from './connection/redis-connection.ts';
import type { ScriptRunner } from './connection/script-runner.ts';

/** Identifies a checkpoint. */
interface CheckpointAddress {
  readonly thread: string;
  readonly ns: string;
  readonly id: string;
}

/**
 * LangGraph saver for plain Redis (no modules); each operation is one atomic script. Writes carry the
 * thread's fence as `configurable.fence_token`. A write with an old fence, or one that does not
 * continue the newest checkpoint, throws `StaleFenceError`; so do reads that carry an old fence.
 */
export class CompactRedisSaver extends RedisSaver {
  readonly #link: ScriptRunner;
  readonly #connection: RedisConnection;
  readonly #prefix: string;

  constructor(connection: RedisConnection, prefix: string, serde: SerializerProtocol) {
    super(connection.client);
    this.serde = serde;
    this.#connection = connection;
    this.#link = connection.link;
    this.#prefix = prefix;
  }

  /** Unique versions: forks of one parent must never share a value. */
  override getNextVersion(current: number | undefined): number {
    return Math.floor(Number(current ?? 0)) + 1 + Math.random();
  }

  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions?: ChannelVersions,
  ): Promise<RunnableConfig> {
    const { thread, token } = requiredFenceOf(config);
    const ns = checkpointNamespaceOf(config);
    const parent = getCheckpointId(config) || null;
    const { document, values } = split(checkpoint);
    const texts = await Promise.all([this.#dump(document), this.#dump(metadata)]);
    const changed = Object.keys(values).filter((name) => !newVersions || name in newVersions);
    // Without a parent, nothing else is stored yet.
    const kept = parent === null ? changed : Object.keys(values);
    const refs = kept.map((channel) => refOf(channel, checkpoint));
    const head = [String(token), ns, checkpoint.id, parent ?? ''];
    const body = [JSON.stringify([...texts, parent]), refs.join('\n')];

    const store = async (channels: readonly string[]): Promise<readonly string[]> => {
      const blobs: string[] = [];
      for (const channel of channels) {
        blobs.push(refOf(channel, checkpoint), await this.#dump(values[channel]));
      }
      const reply = await this.#link.run(PUT, this.#base(thread), [...head, ...body, ...blobs]);
      return parseTextList(reply);
    };
    const missing = await store(changed);
    // A referenced value is missing from the store: send it again with the others.
    if (missing.length > 0) await store([...changed, ...missing.map(channelOf)]);
    return {
      configurable: { thread_id: thread, checkpoint_ns: ns, checkpoint_id: checkpoint.id },
    };
  }

  override async putWrites(
    config: RunnableConfig,
    writes: PendingWrite[],
    taskId: string,
    taskPath = '',
  ): Promise<void> {
    const { thread, token } = requiredFenceOf(config);
    const args = [String(token), checkpointNamespaceOf(config), checkpointOfWrites(config)];
    for (const [index, [channel, value]] of writes.entries()) {
      const place = WRITES_IDX_MAP[channel] ?? index;
      const text = JSON.stringify([channel, await this.#dump(value), taskPath]);
      // A task's errors and interrupts are replaced; its results are kept.
      args.push(JSON.stringify([taskId, place]), place < 0 ? '1' : '0', text);
    }
    await this.#link.run(PUT_WRITES, this.#base(thread), args);
  }

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const thread: unknown = config.configurable?.thread_id;
    const token: unknown = config.configurable?.fence_token;
    if (typeof thread !== 'string') return undefined;
    const address = { thread, ns: checkpointNamespaceOf(config), id: getCheckpointId(config) };
    return await this.#read(address, typeof token === 'number' ? String(token) : '');
  }

  override async *list(
    config: RunnableConfig | null,
    { limit = Number.POSITIVE_INFINITY, before, filter }: CheckpointListOptions = {},
  ): AsyncGenerator<CheckpointTuple> {
    const end: unknown = before?.configurable?.checkpoint_id;
    let left = limit;
    for (const address of await this.#addresses(config)) {
      if (left <= 0) return;
      if (typeof end === 'string' && address.id >= end) continue;
      const tuple = await this.#read(address, '');
      if (!tuple || !fits(tuple.metadata, filter)) continue;
      left -= 1;
      yield tuple;
    }
  }

  override async deleteThread(threadId: string): Promise<void> {
    await this.#link.run(DELETE, this.#base(threadId), []);
  }

  #base(thread: string): string {
    return `${this.#prefix}:{thread:${encode(thread)}}`;
  }

  async #dump(value: unknown): Promise<string> {
    const [type, bytes] = await this.serde.dumpsTyped(value);
    const buffer = Buffer.from(bytes);
    return type === 'json' ? `j${buffer.toString()}` : `b${buffer.toString('base64')}`;
  }

  async #load(text: string): Promise<unknown> {
    const body = text.slice(1);
    if (text.startsWith('j')) return await this.serde.loadsTyped('json', body);
    return await this.serde.loadsTyped('bytes', Buffer.from(body, 'base64'));
  }

  async #read(address: CheckpointAddress, token: string): Promise<CheckpointTuple | undefined> {
    const { thread, ns } = address;
    const reply = await this.#link.run(GET, this.#base(thread), [token, ns, address.id]);
    if (reply === null) return undefined;
    const { parts, checkpoint, writes } = await readable(() => this.#decode(reply));
    const { id, about, parent } = parts;
    if (checkpoint.v < 4 && parent) await this.#addSends(checkpoint, thread, ns, parent);
    const at = (checkpoint_id: string) => ({
      configurable: { thread_id: thread, checkpoint_ns: ns, checkpoint_id },
    });
    return {
      config: at(id),
      checkpoint,
      metadata: about,
      ...(parent && { parentConfig: at(parent) }),
      pendingWrites: writes,
    };
  }

  async #decode(reply: Reply) {
    const [id, document, refs, blobs, writes] = parseReplyList(reply);
    const [state = '', about = '', parent] = JSON.parse(parseText(document)) as string[];
    const checkpoint = await this.#load(state);
    assertCheckpoint<Checkpoint>(checkpoint, emptyCheckpoint().v);
    const values = parseReplyList(blobs ?? null);
    for (const [index, ref] of parseTextList(refs ?? null).entries()) {
      checkpoint.channel_values[channelOf(ref)] = await this.#load(parseText(values[index]));
    }
    return {
      parts: { id: parseText(id), about: (await this.#load(about)) as CheckpointMetadata, parent },
      checkpoint,
      writes: await this.#readWrites(writes ?? null),
    };
  }

  async #readWrites(reply: Reply): Promise<CheckpointPendingWrite[]> {
    const texts = parseTextList(reply);
    const found: { key: ReturnType<typeof writesSortKey>; write: [string, string, string] }[] = [];
    for (let i = 0; i < texts.length; i += 2) {
      const [task, place] = JSON.parse(texts[i] ?? '') as [string, number];
      const [channel, value, path] = JSON.parse(texts[i + 1] ?? '') as [string, string, string];
      found.push({ key: writesSortKey(path, task, place), write: [task, channel, value] });
    }
    found.sort((a, b) => compareWritesSortKeys(a.key, b.key));
    return await Promise.all(
      found.map(async ({ write: [task, channel, value] }): Promise<CheckpointPendingWrite> => {
        return [task, channel, await this.#load(value)];
      }),
    );
  }

  /** Before checkpoint format 4, sends were stored among the parent's writes. */
  async #addSends(
    checkpoint: Checkpoint,
    thread: string,
    ns: string,
    parent: string,
  ): Promise<void> {
    const reply = await this.#link.run(GET_WRITES, this.#base(thread), [ns, parent]);
    const writes = await readable(() => this.#readWrites(reply));
    const sends = writes.filter(([, channel]) => channel === TASKS).map(([, , send]) => send);
    if (sends.length === 0) return;
    const versions = Object.values(checkpoint.channel_versions);
    checkpoint.channel_values[TASKS] = sends;
    checkpoint.channel_versions[TASKS] = versions.length > 0 ? maxChannelVersion(...versions) : 1;
  }

  /** Newest first. */
  async #addresses(config: RunnableConfig | null): Promise<readonly CheckpointAddress[]> {
    const asked = config?.configurable ?? {};
    const threads = typeof asked.thread_id === 'string' ? [asked.thread_id] : await this.#threads();
    const addresses: CheckpointAddress[] = [];
    for (const thread of threads) {
      for (const row of parseReplyList(await this.#link.run(LIST, this.#base(thread), []))) {
        const [ns, ids] = parseReplyList(row);
        for (const id of parseTextList(ids ?? null))
          addresses.push({ thread, ns: parseText(ns), id });
      }
    }
    return addresses
      .filter(({ ns }) => asked.checkpoint_ns === undefined || ns === asked.checkpoint_ns)
      .filter(({ id }) => !asked.checkpoint_id || id === asked.checkpoint_id)
      .sort((a, b) => (a.id < b.id ? 1 : -1));
  }

  /** For administration only: it scans every key. */
  async #threads(): Promise<readonly string[]> {
    const begin = `${this.#prefix}:{thread:`;
    const end = '}:namespaces';
    const keys = await this.#connection.scan(`${escapePattern(begin)}*${end}`);
    return keys.map((key) => decodeURIComponent(key.slice(begin.length, -end.length)));
  }
}

/** Any failure to decode a response means that stored data is damaged. */
async function readable<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof UnreadableStateError) throw error;
    throw new UnreadableStateError('A stored checkpoint can’t be read.', { cause: error });
  }
}

/** Separates the versioned values, which are stored once and shared by checkpoints. */
function split(checkpoint: Checkpoint) {
  const document = copyCheckpoint(checkpoint);
  const { channel_values: all, channel_versions: versions } = document;
  const entries = Object.entries(all);
  const values = Object.fromEntries(
    entries.filter(([name, value]) => name in versions && value !== undefined),
  );
  document.channel_values = Object.fromEntries(entries.filter(([name]) => !(name in versions)));
  return { document, values };
}

function refOf(channel: string, { channel_versions: versions }: Checkpoint): string {
  return JSON.stringify([channel, String(versions[channel])]);
}

function channelOf(ref: string): string {
  return (JSON.parse(ref) as [string])[0];
}

function fits(metadata: CheckpointMetadata | undefined, filter: object | undefined): boolean {
  const found: Readonly<Record<string, unknown>> = { ...metadata };
  return Object.entries(filter ?? {}).every(
    ([key, value]) => value === undefined || JSON.stringify(found[key]) === JSON.stringify(value),
  );
}

/** Escapes everything that could end a hash tag or a part of a key. */
function encode(text: string): string {
  const percent = (char: string) => `%${char.charCodeAt(0).toString(16)}`;
  return encodeURIComponent(text).replace(/[!'()*]/g, percent);
}

function escapePattern(text: string): string {
  return text.replace(/[\\*?[\]]/g, '\\$&');
}
