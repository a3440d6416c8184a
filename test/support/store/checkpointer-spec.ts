/**
 * Runs the official LangChain suite for savers under `node:test`. The suite is written for the globals
 * of Vitest; the ones that it uses are replaced here.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { format } from 'node:util';
import type { RunnableConfig } from '@langchain/core/runnables';
import {
  BaseCheckpointSaver,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type PendingWrite,
} from '@langchain/langgraph-checkpoint';
import { deltaChannelHistoryTests, specTest } from '@langchain/langgraph-checkpoint-validation';

/** Registers the official tests; `make` returns an empty saver and `destroy` removes it. */
export function checkpointerSpec<S extends BaseCheckpointSaver>(
  name: string,
  make: () => Promise<S>,
  destroy: (saver: S) => Promise<void>,
): void {
  Object.assign(globalThis, {
    describe: Object.assign(describe, { each: eachOf(describe) }),
    it: Object.assign(register, { each: eachOf(register), skip: exempt }),
    beforeAll: before,
    afterAll: after,
    beforeEach,
    afterEach,
    expect: Object.assign(expectation, { soft: expectation, arrayContaining: holding }),
  });
  const saver = {
    checkpointerName: name,
    createCheckpointer: make,
    destroyCheckpointer: destroy,
  };
  specTest(saver);
  // Not among the others: its channels are in beta.
  deltaChannelHistoryTests(saver);
}

/** Gives a saver that requires fences the fence of each thread that it is used with. */
export class FenceGivingSaver<S extends BaseCheckpointSaver> extends BaseCheckpointSaver {
  readonly saver: S;
  readonly #fenceOf: (thread: string) => Promise<number>;

  constructor(saver: S, fenceOf: (thread: string) => Promise<number>) {
    super();
    this.saver = saver;
    this.#fenceOf = fenceOf;
  }

  getTuple(config: RunnableConfig) {
    return this.saver.getTuple(config);
  }

  list(config: RunnableConfig, options?: CheckpointListOptions) {
    return this.saver.list(config, options);
  }

  async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    versions: Record<string, number | string>,
  ) {
    return this.saver.put(await this.#fenced(config), checkpoint, metadata, versions);
  }

  async putWrites(config: RunnableConfig, writes: PendingWrite[], taskId: string) {
    return this.saver.putWrites(await this.#fenced(config), writes, taskId);
  }

  deleteThread(threadId: string) {
    return this.saver.deleteThread(threadId);
  }

  async #fenced(config: RunnableConfig): Promise<RunnableConfig> {
    const thread: unknown = config.configurable?.thread_id;
    if (typeof thread !== 'string') return config;
    const fence_token = await this.#fenceOf(thread);
    return { ...config, configurable: { ...config.configurable, fence_token } };
  }
}

function register(title: string, run: () => void | Promise<void>): void {
  it(title, run);
}

/** Cases that the suite itself skips for a kind of saver are no tests of it. */
function exempt(): void {}

function eachOf(register: (title: string, run: () => void | Promise<void>) => unknown) {
  return <T>(cases: readonly T[]) =>
    (title: string, run: (item: T) => void | Promise<void>): void => {
      for (const [index, item] of cases.entries()) {
        const named = title.includes('%') ? format(title, item) : `${title} ${index}`;
        register(named, () => run(item));
      }
    };
}

class Holding {
  readonly items: readonly unknown[];

  constructor(items: readonly unknown[]) {
    this.items = items;
  }
}

const holding = (items: readonly unknown[]): Holding => new Holding(items);

function expectation(actual: unknown) {
  return {
    toBe: (expected: unknown) => assert.equal(actual, expected),
    toEqual(expected: unknown) {
      if (!(expected instanceof Holding)) {
        assert.deepEqual(withoutUndefined(actual), withoutUndefined(expected));
        return;
      }
      assert.ok(Array.isArray(actual));
      for (const item of expected.items) assert.ok(actual.includes(item), `holds ${item}`);
    },
    toBeDefined: () => assert.notEqual(actual, undefined),
    toBeUndefined: () => assert.equal(actual, undefined),
    toBeTruthy: () => assert.ok(actual),
    not: { toBeUndefined: () => assert.notEqual(actual, undefined) },
    rejects: {
      toThrow: () =>
        assert.rejects(actual instanceof Function ? actual() : Promise.resolve(actual)),
    },
  };
}

/** Vitest's `toEqual` treats an undefined key like an absent one. */
function withoutUndefined(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUndefined);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutUndefined(item)]));
}
