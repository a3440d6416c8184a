import Database from 'better-sqlite3';
import type { Bench } from './kit/bench.ts';
import { openOurs, timeCycles } from './kit/cycle-sides.ts';

/** Measures the statements and write transactions of SQLite in a cycle, including those of our checkpoints. */
export const sqliteStatements: Bench = {
  stores: ['SQLite'],

  async probe(site) {
    const count = site.scale.isQuick ? 1 : 20;
    const counted = countStatements();
    const side = await openOurs(site, '');
    await timeCycles(side, 1);
    counted.reset();
    await timeCycles(side, count);
    const { statements, transactions } = counted.numbers();
    await side.close();
    return { statements: statements / count, transactions: transactions / count };
  },

  lines: ({ statements = Number.NaN, transactions = Number.NaN }) => [
    {
      what: 'statements per cycle, BEGIN and COMMIT among them',
      store: 'SQLite',
      ours: statements,
      baseline: undefined,
      unit: 'statements',
      goal: 100,
      against: 'a limit',
    },
    {
      what: 'write transactions per cycle',
      store: 'SQLite',
      ours: transactions,
      baseline: undefined,
      unit: 'transactions',
      goal: 10,
      against: 'a limit',
    },
  ],
};

/** Counts the statements on every database of this process from now on. */
function countStatements() {
  const db = new Database(':memory:');
  const shared = Object.getPrototypeOf(db.prepare('SELECT 1')) as Record<string, unknown>;
  let statements = 0;
  let transactions = 0;
  for (const name of ['run', 'get', 'all', 'iterate']) {
    const method = shared[name] as (...args: readonly unknown[]) => unknown;
    shared[name] = function count(this: { readonly source: string }, ...args: unknown[]) {
      statements += 1;
      if (this.source.startsWith('BEGIN IMMEDIATE')) transactions += 1;
      return Reflect.apply(method, this, args) as unknown;
    };
  }
  db.close();
  return {
    reset() {
      [statements, transactions] = [0, 0];
    },
    numbers: () => ({ statements, transactions }),
  };
}
