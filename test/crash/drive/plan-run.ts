import type { DecisionKind } from '../../../src/domain/route.ts';
import { RUN_TOOLS } from '../lean/policy.ts';
import type { KillPlan } from '../lean/protocol.ts';
import { type ScriptedCall, writeScript } from '../lean/scripted-model.ts';
import { type Combination, POINTS, type StoreKind } from './points.ts';
import { createRandom, type Random } from './random.ts';

/** What people and the agent do in a run, and where its workers die. */
export interface RunPlan {
  readonly name: string;
  readonly store: StoreKind;
  /** One for each process in turn; only the first must be reached. */
  readonly kills: readonly KillPlan[];
  /** The message that begins the turn. */
  readonly text: string;
  /** What people do on a call, by the mark in its arguments; the others they approve. */
  readonly decisions: Readonly<Record<string, DecisionKind>>;
  /** The marks of calls that are decided before the others. */
  readonly first: readonly string[];
  /** Whether a reply is written as a message instead of on the card. */
  readonly repliesByMessage: boolean;
  /** Whether Slack delivers messages twice. */
  readonly repeatsMessages: boolean;
  /** Whether people press twice. */
  readonly pressesTwice: boolean;
  /** Whether somebody writes “yes” while calls wait. */
  readonly saysYes: boolean;
  /** Whether somebody writes again when all is over. */
  readonly goesOn: boolean;
  /** What people say of a call that they found not to have run. */
  readonly finding: 'rerun' | 'leave';
}

const ASKING = Object.keys(RUN_TOOLS).filter((name) => RUN_TOOLS[name]?.route);
/** Longer than a card quotes: they are said in the thread too. */
const LONG_WORDS = 'These words are longer than a card quotes. '.repeat(8);
const SECOND_KILL = 0.3;

/** Plans the run of a combination; the same seed makes the same plan. */
export function planRun(combination: Combination, seed: number): RunPlan {
  const random = createRandom(seed);
  const { point, decision, store } = combination;
  const ends = decision === 'reply' || decision === 'ignore';
  const runsSibling = point.needs === 'run' && ends;
  const main = scripted(random.pick(ASKING), 'main');
  const siblings = planSiblings(random, runsSibling);
  const second = random.chance(0.3) ? [scripted(random.pick(Object.keys(RUN_TOOLS)), 'later')] : [];
  const steps = [random.shuffle([main, ...siblings]), second].filter((step) => step.length > 0);
  const needsWords = point.needs === 'words' && decision === 'ignore';
  const words = needsWords || random.chance(0.2) ? LONG_WORDS : 'I am about to act.';
  return {
    name: `${store} · ${point.name} · ${decision} · seed ${seed}`,
    store,
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
  };
}

function planSiblings(random: Random, mustRun: boolean): readonly ScriptedCall[] {
  if (mustRun) return [scripted(random.pick(['post', 'tag']), 'beside')];
  return random.chance(0.5) ? [scripted(random.pick(Object.keys(RUN_TOOLS)), 'beside')] : [];
}

function planKills(random: Random, { point }: Combination): readonly KillPlan[] {
  const first = { point: point.name, nth: 1 + random.below(point.often ?? 1) };
  if (!random.chance(SECOND_KILL)) return [first];
  return [first, { point: random.pick(POINTS).name, nth: 1 + random.below(2) }];
}

function scripted(tool: string, mark: string): ScriptedCall {
  return { tool, args: { mark, text: `as proposed, ${mark}` } };
}
