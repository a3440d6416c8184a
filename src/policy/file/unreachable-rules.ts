/** Finds rules that no call reaches, or only calls of external callers. */
import type { ASTNode } from '@marcbachmann/cel-js';
import { type AgentPattern, coversAgents } from '../../domain/policy/agent-name.ts';
import type { Rule } from '../../domain/policy/policy.ts';
import { matchesGlob } from '../../domain/text/glob.ts';
import { explainNeverMatches, implies } from '../conditions/compare-conditions.ts';
import type { Path } from './policy-source.ts';
import type { ProblemReporter } from './problem-reporter.ts';

/** A rule with its parsed condition. */
export interface ParsedRule {
  readonly rule: Rule<string>;
  readonly ast?: ASTNode;
}

/**
 * Reports that no call reaches a rule: an error if certain, a warning if inferred from conditions.
 */
export function reportUnreachable(
  read: ParsedRule,
  earlier: readonly ParsedRule[],
  path: Path,
  report: ProblemReporter,
): void {
  const { ast, rule } = read;
  const covers = findCover(rule, earlier);
  if (covers) {
    reportCover(rule, covers, path, report);
    return;
  }
  const never = ast && explainNeverMatches(ast, rule.tools);
  if (never !== undefined) {
    report.warn([...path, 'when'], `This rule never matches: ${never}.`);
    return;
  }
  const wider = ast && earlier.find((each) => isWider(each, rule, ast));
  if (wider) reportWider(rule, wider.rule, path, report);
}

/** A `run` rule without agents never applies to external calls, so later rules get them. */
function skipsExternalCalls({ agents, ruling }: Rule<string>): boolean {
  return ruling.gate === 'run' && !agents;
}

function reportCover(
  rule: Rule<string>,
  earlier: readonly Rule<string>[],
  path: Path,
  report: ProblemReporter,
): void {
  const names = earlier.map(({ name }) => name).join(' and ');
  const take = earlier.length === 1 ? 'takes' : 'take';
  if (earlier.some(skipsExternalCalls) && !skipsExternalCalls(rule)) {
    report.warn(path, `Only calls of programs reach this rule: ${names} ${take} all others.`);
    return;
  }
  report.error(
    path,
    `This rule never matches: ${names} ${take} all of its calls. Move it up, or remove it.`,
  );
}

function reportWider(
  rule: Rule<string>,
  earlier: Rule<string>,
  path: Path,
  report: ProblemReporter,
): void {
  const who =
    skipsExternalCalls(earlier) && !skipsExternalCalls(rule) ? ' (except those of programs)' : '';
  report.warn(
    [...path, 'when'],
    `This rule never matches: every call${who} that meets its condition also meets that of ${earlier.name}, which comes first. Move it up, or remove it.`,
  );
}

/** Returns the earlier rules that together match every call of a rule; undefined if some remain. */
function findCover(
  rule: Rule<string>,
  earlier: readonly ParsedRule[],
): readonly Rule<string>[] | undefined {
  const candidates = earlier
    .map((each) => each.rule)
    .filter((each) => !each.condition && coversCallers(each, rule));
  const cover = rule.tools.map((tool) => candidates.find(({ tools }) => coversTool(tools, tool)));
  if (cover.includes(undefined)) return undefined;
  return [...new Set(cover.flatMap((candidate) => candidate ?? []))];
}

function isWider({ ast, rule: earlier }: ParsedRule, rule: Rule<string>, own: ASTNode): boolean {
  if (!ast || !coversCallers(earlier, rule)) return false;
  return rule.tools.every((tool) => coversTool(earlier.tools, tool)) && implies(own, ast);
}

function coversTool(globs: readonly string[], tool: string): boolean {
  return globs.some((glob) => matchesGlob(glob, tool));
}

function coversCallers({ agents }: Rule<string>, narrow: Rule<string>): boolean {
  return !agents || coversAll(agents, narrow.agents);
}

function coversAll(
  wide: readonly AgentPattern[],
  narrow: readonly AgentPattern[] | undefined,
): boolean {
  return narrow?.every((each) => wide.some((other) => coversAgents(other, each))) ?? false;
}
