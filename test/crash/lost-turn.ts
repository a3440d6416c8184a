/** A turn with a batch that has an invalid call and an edited one, and with damaged checkpoints. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { TurnMessage } from '../../src/domain/threads/message.ts';
import { createRedisStore } from '../../src/stores/redis/create-redis-store.ts';
import {
  createSqliteStore,
  type SqliteStore,
} from '../../src/stores/sqlite/create-sqlite-store.ts';
import { REQUESTER, THREAD } from '../support/builders/a-call.ts';
import { createRecordedTool } from '../support/builders/recorded-tool.ts';
import { buildDesk, type TestDesk } from '../support/desk/build-desk.ts';
import { type MockRequest, sayCalls, sayText } from '../support/servers/mock-model.ts';
import {
  type Damage,
  damage,
  piecesOfRedis,
  piecesOfSqlite,
  type ReadPieces,
} from '../support/store/damage-checkpoints.ts';
import { passStore } from '../support/store/faulty-store.ts';
import type { RedisServer } from '../support/store/redis-server.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { until } from '../support/until.ts';

/** A moment of the turn: the n-th request to the store or to the model, or a named step of the play. */
export interface Moment {
  readonly point: string;
  readonly nth?: number;
  readonly side?: 'before' | 'after';
  /** Only after this number of calls have outcomes. */
  readonly over?: number;
  /** Nothing is stored yet. */
  readonly isBare?: true;
  /** The request fails at this moment, as if the process had died. */
  readonly dies?: true;
  /** Which model answer was not recorded by then, so that it may be requested again. */
  readonly again?: number;
}

export interface Ground {
  readonly read: ReadPieces;
  open(
    deps: Parameters<NonNullable<Parameters<typeof buildDesk>[1]['openStore']>>[0],
  ): Promise<SqliteStore>;
  close(): Promise<void>;
}

let count = 0;
const silent = () => {};
const SILENT = { debug: silent, info: silent, warn: silent, error: silent };

/** Opens the places of checkpoints, each with its own store. */
export const GROUNDS: Readonly<Record<string, (redis: RedisServer) => Promise<Ground>>> = {
  async SQLite() {
    const { path: dataDir, remove } = await makeTempDir();
    let pieces: ReturnType<typeof piecesOfSqlite> | undefined;
    return {
      read: async () => {
        pieces ??= piecesOfSqlite(dataDir);
        return await pieces.read();
      },
      async open(deps) {
        const store = createSqliteStore({ dataDir, ...deps });
        // Waiting for the disk is not tested.
        store.saver.db.pragma('synchronous = OFF');
        return store;
      },
      async close() {
        await pieces?.close();
        await remove();
      },
    };
  },
  async Redis({ url }) {
    count += 1;
    const prefix = `lost${count}`;
    const { read, close } = await piecesOfRedis(url, prefix);
    return {
      read,
      // Without the poll of every second.
      open: async ({ clock, onWake }) => {
        const still = { now: clock.now, schedule: () => () => {} };
        const options = { url, prefix, log: SILENT, clock: still, onWake };
        return (await createRedisStore(options)) as unknown as SqliteStore;
      },
      close,
    };
  },
};

export interface Played {
  readonly desk: TestDesk;
  readonly runs: readonly string[];
  /** Whether this is the moment. */
  readonly isDone: boolean;
}

/** Plays the turn; at the moment, if there is one, the checkpoints are damaged. */
export async function play(
  t: TestContext,
  ground: Ground,
  moment?: Moment,
  how?: Damage,
): Promise<Played> {
  const tool = createRecordedTool();
  let seen = 0;
  let isDone = false;
  /** How many calls have outcomes, counted at the last written step of one. */
  let over = 0;

  async function reach(point: string, side: 'before' | 'after' = 'before'): Promise<void> {
    if (isDone || moment?.point !== point || (moment.side ?? 'before') !== side) return;
    // Counted at once: the rendering of a card when a call ends also reads the pause, and is not meant.
    if (moment.over !== undefined && over < moment.over) return;
    seen += 1;
    if (seen < (moment.nth ?? 1)) return;
    isDone = true;
    await damage(ground.read, how ?? (async () => {}), moment.isBare ? 0 : 1);
    if (moment.dies) throw new Error('The process died here.');
  }

  const desk = await buildDesk(t, {
    tools: [tool.definition],
    openStore: async (deps) => {
      const store = await ground.open(deps);
      const passed = passStore(store, {
        async pass(point, call) {
          await reach(point);
          const result = await call();
          if (point === 'ledger.write') {
            const calls = await store.ledger.ofThread(THREAD);
            over = calls.filter(({ outcome }) => outcome !== undefined).length;
          }
          await reach(point, 'after');
          return result;
        },
      });
      return { ...store, ...passed };
    },
  });
  t.after(() => ground.close());
  desk.model.script(async (request) => {
    await reach('model');
    const steps = request.messages.filter(({ role }) => role === 'assistant').length;
    return ANSWERS[steps] ?? sayText('All is done.');
  });

  /** Waits until postponed work is done. */
  async function settle(): Promise<void> {
    for (let round = 0; round < 3; round += 1) {
      await desk.rest();
      await desk.clock.advance(2_500);
    }
    await desk.rest();
  }

  /** Decides a call, with the moment during the run of its tool. */
  async function decide(note: string, runs: string, edited?: string): Promise<void> {
    const call = (await desk.calls()).find(({ args }) => args === JSON.stringify({ note }));
    assert.ok(call, `No call with ${note}.`);
    const before = tool.runs.length;
    const release = tool.hold();
    const decision =
      edited === undefined
        ? ({ kind: 'approve' } as const)
        : ({ kind: 'edit', args: { note: edited } } as const);
    const deciding = desk.decide(call, REQUESTER, decision);
    await until(() => tool.runs.length > before);
    await reach(runs);
    release();
    await deciding;
    await settle();
  }

  await desk.send('go');
  await settle();
  await reach('the batch waits');
  await decide('a', 'the first runs');
  await reach('one is decided');
  await decide('b', 'one runs', 'b2');
  await reach('the second waits');
  await decide('c', 'the second runs');
  return { desk, runs: tool.runs.map(({ note }) => note), isDone };
}

const actCall = (id: string, args: unknown) => ({ id, name: 'act', args: JSON.stringify(args) });
const ANSWERS = [
  sayCalls(
    [actCall('c1', { note: 'a' }), actCall('c2', { nothing: 1 }), actCall('c3', { note: 'b' })],
    'So.',
  ),
  sayCalls([actCall('c4', { note: 'c' })]),
];

/** The requests to the model, without the time. */
function describeRequest({ messages: [system, ...rest] }: MockRequest): string {
  assert.equal(system?.role, 'system');
  return JSON.stringify(rest);
}

/** A message without its random parts: ids are new if the model has answered again. */
function describeMessage(message: TurnMessage): unknown {
  const { id: _id, ...rest } = message;
  return rest;
}

export interface End {
  readonly asked: readonly string[];
  readonly runs: readonly string[];
  readonly calls: readonly unknown[];
  readonly posts: readonly number[];
  readonly said: readonly string[];
  readonly settled: readonly unknown[];
}

/** The result, without ids. */
export async function endOf({ desk, runs }: Played): Promise<End> {
  const [turn, ...others] = await desk.store.history.newest(THREAD, 9, 0);
  assert.deepEqual([others, turn?.failure], [[], undefined]);
  const calls = await desk.calls();
  return {
    asked: desk.model.requests.map(describeRequest),
    runs,
    calls: calls.map(({ args, status, toolCallId }) => [toolCallId, args, status]),
    posts: calls.map(({ id }) => desk.chat.posts.get(id) ?? 0),
    // A process that dies leaves the text of its streaming message unsent.
    said: desk.chat.said.map(({ text }) => text).filter((text) => text !== 'So.'),
    settled: turn?.messages.map(describeMessage) ?? [],
  };
}
