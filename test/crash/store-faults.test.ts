/** Every call of a store, a chat or the graph saver fails once, in every scenario: the end is the same. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { inTurn, isWhole, sample, sampleName } from '../support/sample.ts';
import { type LabBackend, sqliteBackend, startRedisBackend } from './lab/lab-backend.ts';
import type { Fault } from './lab/lab-process.ts';
import { act, drain } from './model/actions.ts';
import type { Action } from './model/asks.ts';
import { checkInvariants } from './model/invariants.ts';
import { openSide, type Side } from './model/side.ts';

const MESSAGE = 'T1/C1/1700000000.000100';
const FIRST = `${MESSAGE}#ai0/c0`;
const SECOND = `${MESSAGE}#ai0/c1`;
const THIRD = `${MESSAGE}#ai0/c2`;

const say = (text: string): Action => ({ kind: 'say', thread: 0, by: 'U1', text });
const click = (call: string, kind: 'approve' | 'edit' | 'reply' | 'ignore', by = 'U1'): Action => ({
  kind: 'click',
  call,
  click: kind,
  by,
  shown: 'newest',
});

const SCENARIOS: Readonly<Record<string, readonly Action[]>> = {
  'a call that is approved': [say('pay'), click(FIRST, 'approve')],
  'a call that is edited': [say('pay'), click(FIRST, 'edit')],
  'a call that is answered': [say('pay'), click(FIRST, 'reply')],
  'a call that is ignored beside another': [say('two'), click(FIRST, 'ignore')],
  'a batch of which each part is decided by others': [
    say('mixed'),
    click(SECOND, 'approve'),
    click(THIRD, 'approve', 'U2'),
  ],
  'a message that answers a call': [say('pair'), { ...say('talk'), by: 'U2' } as Action],
  'a run that a person stops': [
    { kind: 'mode', mode: 'hold' },
    say('pay'),
    click(FIRST, 'approve'),
    say('stop'),
  ],
};

type Kind = Pick<Fault, 'side' | 'what'>;

/** Faults that once changed the end of a call: the run task was lost, or its first read failed. */
const PAST: readonly (readonly [scenario: string, Fault])[] = [
  ['agenda.claim', 2],
  ['ledger.get', 3],
].flatMap(([point, nth]) =>
  ['a call that is approved', 'a call that is edited'].map(
    (scenario) =>
      [scenario, { point: String(point), nth: Number(nth), what: 'fail', side: 'after' }] as const,
  ),
);

/** The other scenarios differ from these in what people do, not in store calls: they run on SQLite only, and without hanging calls. */
const EVERYWHERE: readonly string[] = [
  'a call that is approved',
  'a message that answers a call',
  'a run that a person stops',
];

const KINDS: Readonly<Record<string, Kind>> = {
  'fails before it takes effect': { what: 'fail', side: 'before' },
  'fails after it took effect': { what: 'fail', side: 'after' },
  'takes effect forty seconds later': { what: 'hang', side: 'before' },
  'is answered forty seconds later': { what: 'hang', side: 'after' },
};

/** Plays a scenario with a fault at the n-th call of one step; returns how many faults there were. */
async function play(
  backend: LabBackend,
  actions: readonly Action[],
  at: number,
  fault: Fault,
): Promise<number> {
  const side: Side = await openSide(backend);
  try {
    for (const [index, action] of actions.entries()) {
      await act(side, action, { twice: false, fault: index === at ? fault : undefined });
    }
    await drain(side);
    await checkInvariants(side);
    return side.faults.length;
  } finally {
    await side.world.close();
  }
}

/** One in this number of calls fails, a different one each day, unless all do. */
const EVERY = 24;

/** The number of concurrent worlds: each waits for its store most of the time. */
const LANES = isWhole ? 6 : 2;

/** Lets the n-th call fail, n from 1 until a step needs no more calls; returns how many failed. */
async function failEach(
  backend: LabBackend,
  actions: readonly Action[],
  { seed, ...kind }: Kind & { readonly seed: number },
) {
  // Each kind starts at another call.
  const every = isWhole ? 1 : EVERY;
  let failed = 0;
  for (const at of actions.keys()) {
    let nth = 1 + ((seed * 3 + sample) % every) - every;
    let isOver = false;
    const lane = async (): Promise<void> => {
      while (!isOver) {
        nth += every;
        const fault: Fault = { point: '*', nth, ...kind };
        const where = `${backend.name}: step ${at}, call ${nth}, ${kind.what} ${kind.side}`;
        const count = await play(backend, actions, at, fault).catch((error: unknown) => {
          isOver = true;
          throw new Error(where, { cause: error });
        });
        if (count === 0) isOver = true;
        failed += count;
      }
    };
    const ends = await Promise.allSettled(Array.from({ length: LANES }, lane));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  }
  return failed;
}

describe(`when one call to a store, Slack or the graph (${sampleName})`, () => {
  let redis: Awaited<ReturnType<typeof startRedisBackend>>;
  before(async () => {
    redis = await startRedisBackend();
  });
  after(() => redis.stop());

  it('fails as it did in past bugs', async () => {
    for (const [scenario, fault] of PAST) {
      for (const backend of [sqliteBackend, redis.backend]) {
        assert.equal(await play(backend, SCENARIOS[scenario] ?? [], 1, fault), 1);
      }
    }
  });

  for (const [seed, [name, kind]] of Object.entries(KINDS).entries()) {
    describe(name, () => {
      for (const [scenario, actions] of Object.entries(SCENARIOS)) {
        const isEverywhere = isWhole || EVERYWHERE.includes(scenario);
        if (kind.what === 'hang' && !isEverywhere) continue;
        // Redis gets the same calls as SQLite.
        const isOnRedis = isWhole || inTurn(EVERYWHERE, seed).includes(scenario);
        const places = isOnRedis ? 'on SQLite and on Redis' : 'on SQLite';
        it(`${scenario} ends correctly ${places}`, async () => {
          const all = [sqliteBackend, ...(isOnRedis ? [redis.backend] : [])];
          const ends = await Promise.allSettled(
            all.map((each) => failEach(each, actions, { ...kind, seed })),
          );
          for (const end of ends) {
            if (end.status === 'rejected') throw end.reason;
            assert.ok(end.value >= (isWhole ? 12 : 1), `Only ${end.value} calls were made.`);
          }
        });
      }
    });
  }
});
