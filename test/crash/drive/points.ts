/** The named points of the runs: where a worker dies. */
import type { DecisionKind } from '../../../src/domain/policy/route.ts';

export interface Point {
  readonly name: string;
  /** `run`: only if a call runs. (Default: in every run.) */
  readonly needs?: 'run' | 'words';
  /** How often a run passes it at least. (Default: once.) */
  readonly often?: number;
  /** The columns whose runs pass it. (Default: all.) */
  readonly columns?: readonly Column[];
}

export const STORES = ['sqlite', 'redis'] as const;
/** What a run loses: only the process, on one of the stores, or also the unsynced data of the disk. */
export const COLUMNS = ['sqlite', 'sqlite-power-loss', 'redis'] as const;
export type Column = (typeof COLUMNS)[number];

/** Where a commit takes time after its request; elsewhere `amid` is the same as `after`. */
const NOT_AT_ONCE: readonly Column[] = ['sqlite-power-loss', 'redis'];
const ON_A_DISK: readonly Column[] = ['sqlite-power-loss'];

const around = (what: string, rest: Omit<Point, 'name'> = {}): readonly Point[] => [
  { name: `before ${what}`, ...rest },
  { name: `after ${what}`, ...rest },
];
const aroundWrite = (what: string, rest: Omit<Point, 'name'> = {}): readonly Point[] => [
  ...around(what, rest),
  { name: `amid ${what}`, columns: NOT_AT_ONCE, ...rest },
];

/** Promised commits are answered after a sync. */
const aroundSync = (n: number): readonly Point[] =>
  around(`sync ${n} of the log`, { columns: ON_A_DISK });

/** Every run has at least as many syncs. */
const SYNCS = 5;

export const POINTS: readonly Point[] = [
  ...aroundWrite('inbox write'),
  ...around('begin of a turn'),
  { name: 'after claim of pump' },
  ...around('start of the graph'),
  ...around('the model'),
  { name: 'amid the model' },
  ...around('snapshot'),
  ...around('proposal'),
  ...around('post of a card'),
  { name: 'amid post of a card' },
  ...around('place of a card'),
  ...aroundWrite('decision commit'),
  { name: 'after claim of run', needs: 'run' },
  ...aroundWrite('claim', { needs: 'run' }),
  ...around('the tool', { needs: 'run' }),
  { name: 'amid the tool, not yet done', needs: 'run' },
  { name: 'amid the tool, done', needs: 'run' },
  ...aroundWrite('result commit', { needs: 'run' }),
  ...around('update of a card'),
  { name: 'amid update of a card' },
  ...around('resume'),
  ...around('settled turn'),
  ...around('saying', { needs: 'words' }),
  { name: 'amid saying', needs: 'words' },
  ...around('mark of words', { needs: 'words' }),
  ...around('forgetting'),
  ...Array.from({ length: SYNCS }, (_, i) => aroundSync(i + 1)).flat(),
  { name: 'amid a checkpoint of the log', columns: ON_A_DISK },
  { name: 'after a checkpoint of the log', columns: ON_A_DISK },
];

export const DECISIONS: readonly DecisionKind[] = ['approve', 'edit', 'reply', 'ignore'];

/** The points that runs of a column pass. */
export function pointsIn(column: Column): readonly Point[] {
  return POINTS.filter(({ columns }) => columns?.includes(column) ?? true);
}

/** One way to die: a point, combined with a decision, in a column. */
export interface Combination {
  readonly point: Point;
  readonly decision: DecisionKind;
  readonly column: Column;
}

/** All points with all decisions in these columns. */
export function combine(columns: readonly Column[]): readonly Combination[] {
  return columns.flatMap((column) =>
    pointsIn(column).flatMap((point) => DECISIONS.map((decision) => ({ point, decision, column }))),
  );
}
