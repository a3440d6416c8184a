/** The named points of the runs: where a worker dies. */
import type { DecisionKind } from '../../../src/domain/route.ts';

export interface Point {
  readonly name: string;
  /** `run`: only where a call runs. (Default: in every run.) */
  readonly needs?: 'run' | 'words';
  /** How often a run comes by there at least. (Default: once.) */
  readonly often?: number;
  /** Only where a store is asked over a line: elsewhere it is the same as `after`. */
  readonly onLineOnly?: true;
}

const around = (what: string, rest: Omit<Point, 'name'> = {}): readonly Point[] => [
  { name: `before ${what}`, ...rest },
  { name: `after ${what}`, ...rest },
];
const aroundWrite = (what: string, rest: Omit<Point, 'name'> = {}): readonly Point[] => [
  ...around(what, rest),
  { name: `amid ${what}`, onLineOnly: true, ...rest },
];

export const POINTS: readonly Point[] = [
  ...aroundWrite('inbox write'),
  ...around('begin of a turn'),
  { name: 'after claim of pump' },
  ...around('start of the graph'),
  ...around('the model'),
  { name: 'amid the model' },
  ...around('checkpoint', { often: 2 }),
  ...around('checkpoint write'),
  ...around('proposal'),
  ...around('gate'),
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
  ...around('mark of delivery'),
  ...around('settled turn'),
  ...around('saying', { needs: 'words' }),
  { name: 'amid saying', needs: 'words' },
  ...around('mark of words', { needs: 'words' }),
  ...around('forgetting'),
  ...around('end of a turn'),
];

export const DECISIONS: readonly DecisionKind[] = ['approve', 'edit', 'reply', 'ignore'];
export const STORES = ['sqlite', 'redis'] as const;
export type StoreKind = (typeof STORES)[number];

/** One way to die: a point, beside a decision, on a store. */
export interface Combination {
  readonly point: Point;
  readonly decision: DecisionKind;
  readonly store: StoreKind;
}

/** All points with all decisions on these stores. */
export function combine(stores: readonly StoreKind[]): readonly Combination[] {
  return stores.flatMap((store) =>
    POINTS.filter(({ onLineOnly }) => !onLineOnly || store === 'redis').flatMap((point) =>
      DECISIONS.map((decision) => ({ point, decision, store })),
    ),
  );
}
