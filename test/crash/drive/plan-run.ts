import type { DecisionKind } from '../../../src/domain/policy/route.ts';
import { RUN_TOOLS } from '../lean/policy.ts';
import type { KillPlan } from '../lean/protocol.ts';
import { type ScriptedCall, writeScript } from '../lean/scripted-model.ts';
import { TAILS, type Tail } from './lose-power.ts';
import {
  COLUMNS,
  type Column,
  type Combination,
  combine,
  DECISIONS,
  POINTS,
  pointsIn,
} from './points.ts';
import { createRandom, type Random } from './random.ts';

/** What people and the agent do in a run, and where its workers die. */
export interface RunPlan {
  readonly name: string;
  readonly column: Column;
  /** One for each process in turn; only the first must be reached. */
  readonly kills: readonly KillPlan[];
  /** The message that starts the turn. */
  readonly text: string;
  /** The acts of people on a call, by the mark in its arguments; other calls are approved. */
  readonly decisions: Readonly<Record<string, DecisionKind>>;
  /** The marks of calls that are decided first. */
  readonly first: readonly string[];
  /** Whether a reply is sent as a message instead of on the card. */
  readonly repliesByMessage: boolean;
  /** Whether Slack delivers messages twice. */
  readonly repeatsMessages: boolean;
  /** Whether people press twice. */
  readonly pressesTwice: boolean;
  /** Whether somebody writes “yes” while calls are pending. */
  readonly saysYes: boolean;
  /** Whether somebody writes again at the end. */
  readonly goesOn: boolean;
  /** What people answer for a call that did not run. */
  readonly finding: 'rerun' | 'leave';
  /** Each death also cuts the power, and this much of the unsynced data is left. */
  readonly powerLoss: { readonly tail: Tail; readonly seed: number } | undefined;
}

const ASKING = Object.keys(RUN_TOOLS).filter((name) => RUN_TOOLS[name]?.route);
/** Longer than a card quotes, so it is also posted in the thread. */
const LONG_WORDS = 'These words are longer than a card quotes. '.repeat(8);
const SECOND_KILL = 0.3;

/** Plans `count` runs in these columns: every point once before any is repeated, every combination before any is repeated. */
export function planRuns(
  seed: number,
  columns: readonly Column[],
  count = combine(columns).length,
): readonly RunPlan[] {
  const random = createRandom(seed);
  const plans: RunPlan[] = [];
  while (plans.length < count) {
    for (const each of dealByPoint(random.shuffle(combine(columns)))) {
      plans.push(planRun(each, random.below(2 ** 31)));
    }
  }
  return plans.slice(0, count);
}

/** Plans a run again from its name; throws for an unknown name. */
export function planByName(name: string): RunPlan {
  const [column, point, decision, seed] = name.split(' · ');
  const combination = {
    column: COLUMNS.find((each) => each === column),
    point: POINTS.find((each) => each.name === point),
    decision: DECISIONS.find((each) => each === decision),
  };
  if (!combination.column || !combination.point || !combination.decision || !seed) {
    throw new Error(`No run is called “${name}”: it is COLUMN · POINT · DECISION · seed NUMBER.`);
  }
  return planRun(combination as Combination, Number(seed.replace('seed ', '')));
}

/** The first of each point, then the second of each, and so on. */
function dealByPoint(combinations: readonly Combination[]): readonly Combination[] {
  const dealt = new Map<string, number>();
  const ranked = combinations.map((combination) => {
    const rank = dealt.get(combination.point.name) ?? 0;
    dealt.set(combination.point.name, rank + 1);
    return { combination, rank };
  });
  return ranked.sort((a, b) => a.rank - b.rank).map(({ combination }) => combination);
}

/** Plans the run of a combination; the same seed makes the same plan. */
function planRun(combination: Combination, seed: number): RunPlan {
  const random = createRandom(seed);
  const { point, decision, column } = combination;
  const ends = decision === 'reply' || decision === 'ignore';
  const runsSibling = point.needs === 'run' && ends;
  const main = scripted(random.pick(ASKING), 'main');
  const siblings = planSiblings(random, runsSibling);
  const second = random.chance(0.3) ? [scripted(random.pick(Object.keys(RUN_TOOLS)), 'later')] : [];
  const steps = [random.shuffle([main, ...siblings]), second].filter((step) => step.length > 0);
  const needsWords = point.needs === 'words' && decision === 'ignore';
  const words = needsWords || random.chance(0.2) ? LONG_WORDS : 'I am about to act.';
  return {
    name: `${column} · ${point.name} · ${decision} · seed ${seed}`,
    column,
    kills: planKills(random, combination),
    text: writeScript({ steps, words }),
    decisions: { main: decision },
    first: runsSibling ? siblings.map(({ args }) => args.mark ?? '') : [],
    repliesByMessage: decision === 'reply' && random.chance(0.4),
    repeatsMessages: random.chance(0.4),
    pressesTwice: random.chance(0.4),
    saysYes: random.chance(0.2),
    goesOn: random.chance(0.5),
    finding: random.chance(0.5) ? 'rerun' : 'leave',
    powerLoss:
      column === 'sqlite-power-loss'
        ? { tail: random.pick(TAILS), seed: random.below(2 ** 31) }
        : undefined,
  };
}

function planSiblings(random: Random, mustRun: boolean): readonly ScriptedCall[] {
  if (mustRun) return [scripted(random.pick(['post', 'tag']), 'beside')];
  return random.chance(0.5) ? [scripted(random.pick(Object.keys(RUN_TOOLS)), 'beside')] : [];
}

function planKills(random: Random, { column, point }: Combination): readonly KillPlan[] {
  const first = { point: point.name, nth: 1 + random.below(point.often ?? 1) };
  if (!random.chance(SECOND_KILL)) return [first];
  return [first, { point: random.pick(pointsIn(column)).name, nth: 1 + random.below(2) }];
}

function scripted(tool: string, mark: string): ScriptedCall {
  return { tool, args: { mark, text: `as proposed, ${mark}` } };
}
