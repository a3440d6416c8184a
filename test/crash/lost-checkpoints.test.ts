/** Checkpoints are lost or damaged at every step of a turn: it continues as if nothing had happened. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isWhole, sample, sampleName } from '../support/sample.ts';
import { DAMAGES, type Damage } from '../support/store/damage-checkpoints.ts';
import { type RedisServer, startRedis } from '../support/store/redis-server.ts';
import { type End, endOf, GROUNDS, type Moment, play } from './lost-turn.ts';

const MOMENTS: Readonly<Record<string, Moment>> = {
  'before the batch is proposed': {
    ...{ point: 'ledger.propose', isBare: true, dies: true, again: 1 },
  },
  'when one of the batch is proposed': {
    ...{ point: 'ledger.propose', side: 'after', isBare: true, dies: true },
  },
  'before the second of the batch is proposed': {
    ...{ point: 'ledger.propose', nth: 2, isBare: true, dies: true },
  },
  'while the batch waits': { point: 'the batch waits' },
  'when one is decided': { point: 'one is decided' },
  'while one runs': { point: 'one runs' },
  'when all are decided, right before the graph goes on': {
    point: 'pause.read',
    over: 2,
  },
  'while the model is asked again': { point: 'model', nth: 2, again: 2 },
  'before its second message is proposed': {
    ...{ point: 'ledger.propose', nth: 3, dies: true, again: 2 },
  },
  'while its second message waits': { point: 'the second waits' },
  'while its second call runs': { point: 'the second runs' },
  'right before the graph goes on to its end': { point: 'pause.read', over: 3 },
  'before the turn is settled': { point: 'history.append', dies: true, again: 3 },
  'when the turn is settled': { point: 'history.append', side: 'after', dies: true },
};

let redis: RedisServer | undefined;
before(async () => {
  redis = await startRedis();
});
after(() => redis?.stop());

function theRedis(): RedisServer {
  assert.ok(redis);
  return redis;
}

/** The requests, with the repeated one twice. */
function withAgain(asked: readonly string[], again: number | undefined): readonly string[] {
  return asked.flatMap((each, index) => (index + 1 === again ? [each, each] : [each]));
}

/** In the full test run each moment gets all kinds of damage; otherwise some rotate, at every second moment on SQLite and at every third on Redis. */
function damagesOf(place: number, ground: string): readonly (readonly [string, Damage])[] {
  const all = Object.entries(DAMAGES);
  if (isWhole) return all;
  if ((place + sample) % (ground === 'Redis' ? 3 : 2) !== 0) return [];
  return all.filter(([what], index) => what === ALWAYS || (index + place + sample) % 11 === 0);
}

const ALWAYS = 'all of it is lost';

for (const [name, openGround] of Object.entries(GROUNDS)) {
  describe(`on ${name}, a turn continues unchanged when its checkpoints are lost or damaged (${sampleName})`, () => {
    let whole: End | undefined;

    it('has three questions, three runs and an invalid call', async (t) => {
      const played = await play(t, await openGround(theRedis()));
      whole = await endOf(played);
      assert.deepEqual(played.desk.model.refusals, []);
      assert.deepEqual(whole.runs, ['a', 'b2', 'c']);
      assert.deepEqual(
        [whole.asked.length, whole.posts, whole.said.at(-1)],
        [3, [1, 1, 1], 'All is done.'],
      );
    });

    for (const [place, [when, moment]] of Object.entries(MOMENTS).entries()) {
      describe(when, () => {
        for (const [what, how] of damagesOf(place, name)) {
          it(what, async (t) => {
            assert.ok(whole);
            const played = await play(t, await openGround(theRedis()), moment, how);
            const { asked, ...end } = await endOf(played);
            const { asked: once, ...right } = whole;
            assert.equal(played.isDone, true);
            assert.deepEqual(played.desk.model.refusals, []);
            assert.deepEqual(end, right);
            const twice = withAgain(once, moment.again);
            assert.deepEqual(asked, asked.length > once.length ? twice : once);
          });
        }
      });
    }
  });
}
