/** What every backend of the record store promises; run once per backend. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Commit, Hold, Records } from '../../../src/stores/records.ts';
import { ModelRecords } from './model-records.ts';
import {
  type CommitStep,
  KEYS,
  PARTITIONS,
  type Step,
  step,
  TASKS,
  UNITS,
} from './records-steps.ts';

const LEASE_MS = 10;

/** An empty store, and the same one reopened, as after the death of its process. */
export interface OpenedRecords {
  readonly records: Records;
  close(): Promise<void>;
}

/** A real store and its model, with the same operations. */
class Pair {
  now = 1_000;
  readonly model = new ModelRecords();
  /** The same holds, as each of the two names them. */
  readonly holds: { readonly mine: Hold; readonly theirs: Hold }[] = [];
  readonly #entries = new Map<string, readonly { partition: string; sort: string }[]>();
  readonly #records: Records;

  constructor(records: Records) {
    this.#records = records;
  }

  async tell(each: Step): Promise<void> {
    switch (each.do) {
      case 'commit':
        return await this.#commit(each);
      case 'lease':
        return await this.#lease({ most: each.most });
      case 'name':
        return await this.#lease({ unit: each.unit });
      case 'renew':
        return await this.#renew(each.hold);
      case 'release':
        return await this.#release(each.hold);
      case 'range':
        return await this.#pages(each);
      case 'wait':
        this.now += each.ms;
    }
  }

  /** Everything that can be read from both. */
  async compare(): Promise<void> {
    const tasks = UNITS.flatMap((unit) => TASKS.map((id) => ({ unit, id })));
    const read = this.#records;
    assert.deepEqual(await read.get(KEYS), this.model.get(KEYS));
    assert.deepEqual(await read.count(PARTITIONS), this.model.count(PARTITIONS));
    assert.deepEqual(await read.stateOf(tasks), this.model.stateOf(tasks));
    assert.deepEqual(await read.audit(0, 100), this.model.audit(0, 100));
    assert.deepEqual(await read.audit(2, 2), this.model.audit(2, 2));
    assert.equal(await read.newestAudit(), this.model.newestAudit());
  }

  #holdAt(index: number | undefined) {
    return index === undefined ? undefined : this.holds[index % Math.max(1, this.holds.length)];
  }

  /** What a commit adds for units that its holder owns or has lost. */
  #heldBy(held: CommitStep['held'], whose: 'mine' | 'theirs'): Pick<Commit, 'held'> {
    const units = held.flatMap(({ done, hold }) => {
      const found = this.#holdAt(hold)?.[whose];
      return found ? [{ unit: found.unit, token: found.token, done }] : [];
    });
    const unique = units.filter(({ unit }, i) => units.findIndex((a) => a.unit === unit) === i);
    return unique.length > 0 ? { held: { now: this.now, units: unique } } : {};
  }

  async #commit({ audit, held, hold, records, releases, repeats, tasks, trim }: CommitStep) {
    const borne = this.#holdAt(hold);
    const common: Omit<Commit, 'fences'> = {
      id: randomUUID(),
      durable: releases ? 'later' : 'now',
      records: records.map((each) => this.#toChange(each)),
      tasks: tasks.map(({ how, id, in: ms, unit }) => {
        if (how === 'ask') return { unit, id, askedFor: this.now + ms };
        if (how === 'done') return { unit, id, isDone: true };
        if (how === 'park') return { unit, id, isParked: true };
        if (how === 'call off') return { unit, id, isCalledOff: true };
        return { unit, id, putOffTo: this.now + ms, isFailure: how === 'fail' };
      }),
      audit,
      ...(trim !== undefined && { trimAudit: trim }),
      ...(releases && { releases }),
    };
    const mine = this.model.commit({
      ...common,
      ...this.#heldBy(held, 'mine'),
      ...(borne && { fences: [borne.mine] }),
    });
    const asked = {
      ...common,
      ...this.#heldBy(held, 'theirs'),
      ...(borne && { fences: [borne.theirs] }),
    };
    assert.deepEqual(await this.#records.commit(asked), mine);
    if (mine.kind !== 'done') return;
    for (const change of common.records ?? []) {
      if ('document' in change) this.#entries.set(change.key, change.add ?? []);
      else if ('isDeletion' in change) this.#entries.set(change.key, []);
    }
    if (repeats) assert.deepEqual(await this.#records.commit(asked), mine);
  }

  #toChange({ document, entries, how, key, lie: off }: CommitStep['records'][number]) {
    const revision = Math.max(0, (this.model.get([key])[0]?.revision ?? 0) + off);
    if (how === 'expect') return { key, expects: revision };
    const before = this.#entries.get(key) ?? [];
    // A missing record has nothing to delete.
    if (how === 'delete' && revision > 0) {
      return { key, replaces: revision, isDeletion: true as const, drop: before };
    }
    return { key, replaces: revision, document, add: entries, drop: before };
  }

  async #lease(want: { readonly most: number } | { readonly unit: string }) {
    const mine = this.model.lease(this.now, LEASE_MS, want);
    const theirs = await this.#records.lease(this.now, LEASE_MS, want);
    assert.deepEqual(withoutTokens(theirs.holds), withoutTokens(mine.holds));
    assert.equal(theirs.next, mine.next);
    for (const [i, hold] of mine.holds.entries()) {
      const other = theirs.holds[i];
      if (other) this.holds.push({ mine: hold, theirs: other });
    }
    const tokens = this.holds.map(({ theirs: { token } }) => token);
    assert.equal(new Set(tokens).size, tokens.length, 'A token was given twice.');
    assert.deepEqual(
      tokens,
      [...tokens].sort((a, b) => a - b),
      'A token was less than one before.',
    );
  }

  async #renew(index: number) {
    const hold = this.#holdAt(index);
    if (!hold) return;
    const mine = this.model.renew([hold.mine], this.now, LEASE_MS);
    const theirs = await this.#records.renew([hold.theirs], this.now, LEASE_MS);
    assert.deepEqual(withoutTokens(theirs), withoutTokens(mine));
  }

  async #release(index: number) {
    const hold = this.#holdAt(index);
    if (!hold) return;
    this.model.release(hold.mine);
    await this.#records.release(hold.theirs);
  }

  async #pages({ isBackwards, limit, partition, prefix }: Extract<Step, { do: 'range' }>) {
    for (let after: string | undefined; ; ) {
      const page = { partition, isBackwards, prefix, limit, ...(after !== undefined && { after }) };
      const found = this.model.range(page);
      assert.deepEqual(await this.#records.range(page), found);
      after = found.at(-1)?.at;
      if (after === undefined) return;
    }
  }
}

function withoutTokens(holds: readonly Hold[]) {
  return holds.map(({ token: _, ...hold }) => hold);
}

/** Registers the contract of a backend. */
export function recordsContract(
  name: string,
  open: () => Promise<OpenedRecords>,
  numRuns: number,
): void {
  const using = async (work: (records: Records) => Promise<void>) => {
    const { close, records } = await open();
    try {
      await work(records);
    } finally {
      await close();
    }
  };
  const put = (key: string, replaces: number, document = '{}') => ({ key, replaces, document });
  const commitOf = (more: Partial<Commit>): Commit => ({
    id: randomUUID(),
    durable: 'now',
    ...more,
  });

  describe(`records on ${name}`, () => {
    it('match the model in every history', async () => {
      const steps = fc.array(step, { minLength: 1, maxLength: 25 });
      const run = async (history: readonly Step[]) =>
        await using(async (records) => {
          const pair = new Pair(records);
          for (const each of history) {
            await pair.tell(each);
            await pair.compare();
          }
        });
      await fc.assert(fc.asyncProperty(steps, run), { numRuns });
    });

    it('let one of many concurrent writers replace a revision', async () => {
      await using(async (records) => {
        await records.commit(commitOf({ records: [put('call/a', 0)] }));
        const all = await Promise.all(
          Array.from({ length: 50 }, (_, i) =>
            records.commit(commitOf({ records: [put('call/a', 1, `${i}`)], audit: [`${i}`] })),
          ),
        );
        const won = all.filter(({ kind }) => kind === 'done');
        assert.equal(won.length, 1);
        const [stored] = await records.get(['call/a']);
        assert.equal(stored?.revision, 2);
        assert.deepEqual(await records.audit(1, 100), [{ seq: 1, entry: stored?.document }]);
      });
    });

    it('reject a commit that names a record twice', async () => {
      await using(async (records) => {
        const twice = commitOf({ records: [put('call/a', 0), { key: 'call/a', expects: 0 }] });
        await assert.rejects(records.commit(twice), /names a record twice: call\/a, call\/a/);
        assert.equal((await records.get(['call/a']))[0]?.revision, 0);
      });
    });

    it('notify watchers when tasks are added', async () => {
      await using(async (records) => {
        const heard = new Promise<unknown>((resolve) => {
          const told = (...said: unknown[]) => said[0] !== undefined && resolve(said);
          records.watch(told).catch(assert.fail);
        });
        await records.watch(() => {});
        await records.commit(commitOf({ tasks: [{ unit: 'u', id: 't', askedFor: 5 }] }));
        assert.deepEqual(await heard, [['u'], true]);
      });
    });
  });
}
