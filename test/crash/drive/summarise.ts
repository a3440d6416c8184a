import { INVARIANTS, type Invariant } from '../check/finding.ts';
import type { Column } from './points.ts';
import type { RunReport } from './torture.ts';

type Count = (runs: readonly RunReport[]) => number;

const sum =
  (of: (run: RunReport) => number): Count =>
  (runs) =>
    runs.reduce((count, run) => count + of(run), 0);
const against = (invariant: Invariant): Count =>
  sum(({ findings }) => findings.filter((finding) => finding.invariant === invariant).length);
const longest: Count = (runs) => Math.max(0, ...runs.map(({ restMs }) => restMs));

const REST: readonly Invariant[] = ['I5', 'I6', 'I7', 'I9', 'harness'];

const LINES: readonly (readonly [string, Count])[] = [
  ['runs', (runs) => runs.length],
  ['kills', sum(({ kills }) => kills)],
  ['effects without approval', against('I1')],
  ['effects twice', against('I2')],
  ['lost messages', against('I3')],
  ['lost decisions', against('I4')],
  ['threads stuck for more than 60 s', against('I10')],
  ['unknown outcomes', sum(({ unknowns }) => unknowns)],
  ['wrongly unknown or not so', against('unknown')],
  ...REST.map((each) => [`against ${each}: ${INVARIANTS[each]}`, against(each)] as const),
  ['longest way back to rest, ms of the run’s clock', longest],
];

/** Formats the table of the torture: a line for each counter, with a number for each column. */
export function tableOf(
  columns: readonly Column[],
  reports: readonly RunReport[],
): readonly string[] {
  const width = Math.max(...LINES.map(([what]) => what.length));
  const write = (what: string, cells: readonly (string | number)[]) =>
    [
      what.padEnd(width),
      ...cells.map((cell, i) => String(cell).padStart((columns[i] ?? '').length)),
    ].join('  ');
  const runsOf = (column: Column) => reports.filter(({ plan }) => plan.column === column);
  return [
    write('', columns),
    ...LINES.map(([what, count]) =>
      write(
        what,
        columns.map((column) => count(runsOf(column))),
      ),
    ),
  ];
}
