/** The operations on records in a random history. */
import fc from 'fast-check';

export const KEYS = ['call/a', 'call/é', 'say/a b', 'say/𝄞'];
export const PARTITIONS = ['p', 'q|ü'];
const SORTS = ['0', '1', '11', 'é', '￿', '𝄞'];
export const UNITS = ['T1/C1/1', 'T1/C1/2', 'T1/C1/1/call'];
export const TASKS = ['run:a', 'draw:b'];

const entry = fc.record({
  partition: fc.constantFrom(...PARTITIONS),
  sort: fc.constantFrom(...SORTS),
});
/** How far the revision known to the caller differs from the real one. */
const lie = fc.oneof(
  { weight: 6, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.constantFrom(-1, 1) },
);

export const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('commit' as const),
      records: fc.uniqueArray(
        fc.record({
          key: fc.constantFrom(...KEYS),
          lie,
          how: fc.constantFrom('put', 'put', 'put', 'delete', 'expect'),
          document: fc.constantFrom('{}', '{"a":"é𝄞"}', '[9007199254740993]'),
          entries: fc.uniqueArray(entry, { maxLength: 2, selector: JSON.stringify }),
        }),
        { maxLength: 3, selector: ({ key }) => key },
      ),
      tasks: fc.uniqueArray(
        fc.record({
          unit: fc.constantFrom(...UNITS),
          id: fc.constantFrom(...TASKS),
          how: fc.constantFrom('ask', 'ask', 'done', 'off', 'fail', 'park', 'call off'),
          in: fc.integer({ min: -5, max: 15 }),
        }),
        // The holder of a unit requests each task once.
        { maxLength: 3, selector: ({ id, unit }) => `${unit} ${id}` },
      ),
      held: fc.array(fc.record({ hold: fc.nat(), done: fc.subarray(TASKS) }), { maxLength: 2 }),
      audit: fc.array(fc.constantFrom('{"a":1}', 'é𝄞'), { maxLength: 2 }),
      trim: fc.option(fc.integer({ min: 0, max: 6 }), { nil: undefined, freq: 6 }),
      hold: fc.option(fc.nat(), { nil: undefined }),
      releases: fc.boolean(),
      repeats: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('lease' as const),
      most: fc.integer({ min: 0, max: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('name' as const), unit: fc.constantFrom(...UNITS) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('renew' as const), hold: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('release' as const), hold: fc.nat() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('range' as const),
      partition: fc.constantFrom(...PARTITIONS),
      isBackwards: fc.boolean(),
      prefix: fc.constantFrom('', '', '1', 'é'),
      limit: fc.integer({ min: 0, max: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 12 }) }),
  },
);
export type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
export type CommitStep = Extract<Step, { do: 'commit' }>;
