import type { ASTNode } from '@marcbachmann/cel-js';
import {
  type AgentName,
  type AgentPattern,
  describeAmbiguousAgent,
  parseAgentPattern,
} from '../../domain/policy/agent-name.ts';
import type { Policy, PolicyRuling, Rule } from '../../domain/policy/policy.ts';
import { REQUESTER_ROUTE } from '../../domain/policy/route.ts';
import { matchesGlob } from '../../domain/text/glob.ts';
import { describeUnknownAgentKind } from '../conditions/agent-literals.ts';
import type { CompiledCondition } from '../conditions/compile-condition.ts';
import { findUnknownFields } from '../conditions/find-unknown-fields.ts';
import { type DefaultInput, DefaultSchema, type RuleInput, RuleSchema } from './policy-schema.ts';
import type { Path } from './policy-source.ts';
import type { ProblemReporter } from './problem-reporter.ts';
import { readValue, suggestName } from './read-value.ts';
import { describeUnknownField, type KnownTools, schemasOf } from './tool-schemas.ts';
import { type ParsedRule, reportUnreachable } from './unreachable-rules.ts';

type Fallback = Policy<string>['fallback'];

/** What the app knows, to check a file against. */
export interface KnownNames extends KnownTools {
  /** Helpers, the graph and, where known, the keys. */
  readonly agents: readonly AgentName[];
}

/** Context for parsing rules. */
export interface RuleReaderContext {
  readonly report: ProblemReporter;
  /** Names of the existing routes, including the built-in one. */
  readonly routes: readonly string[];
  readonly compile: (source: string) => CompiledCondition;
  readonly lineOf: (path: Path) => number;
  readonly known: KnownNames | undefined;
}

type ReadCondition = Pick<Rule<string>, 'condition' | 'lookBackMs' | 'mentions'> &
  Pick<ParsedRule, 'ast'>;

const NEVER: ReadCondition = { condition: async () => false };

/** Parses the answer for calls that match no rule. */
export function readDefault(value: unknown, reading: RuleReaderContext): Fallback {
  const builtIn = { gate: 'ask', route: REQUESTER_ROUTE.name } as const;
  if (value === undefined) return { name: 'no rule, and no default', ruling: builtIn };
  const path = ['default'];
  const name = `the default, line ${reading.lineOf(path)}`;
  const { report } = reading;
  const { value: input } = readValue(DefaultSchema, value, { path, what: 'the default', report });
  if (!input) return { name, ruling: builtIn };
  const route = input.route ?? REQUESTER_ROUTE.name;
  checkRuling(input, path, reading);
  if (input.gate === 'refuse') return { name, ruling: refusal(input) };
  return { name, ruling: { gate: 'ask', route, ...(input.risk && { risk: input.risk }) } };
}

/** Parses the rules in order. Reports problems, and leaves out rules it can't read. */
export function readRules(
  values: readonly unknown[],
  fallback: Fallback,
  reading: RuleReaderContext,
): readonly Rule<string>[] {
  const defaultRoute =
    fallback.ruling.gate === 'ask' ? fallback.ruling.route : REQUESTER_ROUTE.name;
  const rules: ParsedRule[] = [];
  for (const [index, value] of values.entries()) {
    const path = ['rules', index];
    const read = readRule(value, path, defaultRoute, reading);
    if (!read) continue;
    reportUnreachable(read, rules, path, reading.report);
    rules.push(read);
  }
  return rules.map(({ rule }) => rule);
}

function readRule(
  value: unknown,
  path: Path,
  defaultRoute: string,
  reading: RuleReaderContext,
): ParsedRule | undefined {
  const number = `rule ${Number(path.at(-1)) + 1}`;
  const place = { path, what: number, report: reading.report };
  const { value: input, isSound } = readValue(RuleSchema, value, place);
  if (!input) return undefined;
  checkRuling(input, path, reading);
  warnOfUnknownTools(input, path, reading);
  const agents = readAgents(input, path, reading);
  // Never match if the rule is unsound; without its condition it would cover later rules.
  const { ast, ...condition } = isSound ? compileWhen(input, path, reading) : NEVER;
  if (ast) warnOfFields(input, ast, path, reading);
  const rule = {
    name: `${number}, line ${reading.lineOf(path)}`,
    tools: input.tools,
    ...(agents && { agents }),
    ...condition,
    ...(input.when !== undefined && { when: input.when }),
    ruling: toRuling(input, defaultRoute),
    ...errorRouteOf(input),
  };
  return { rule, ...(ast && { ast }) };
}

/** A `run` rule's route is where to ask if its condition fails. */
function errorRouteOf({ gate, route }: RuleInput): Pick<Rule<string>, 'errorRoute'> {
  return gate === 'run' && route !== undefined ? { errorRoute: route } : {};
}

function readAgents(
  { agent }: RuleInput,
  path: Path,
  { known, report }: RuleReaderContext,
): readonly AgentPattern[] | undefined {
  return agent?.flatMap((text, index): readonly AgentPattern[] => {
    const read = parseAgentPattern(text, known?.agents ?? []);
    const place = [...path, 'agent', index];
    if (read.kind === 'ambiguous') report.error(place, describeAmbiguousAgent(text, read.meanings));
    else if (read.kind === 'no-kind') report.error(place, describeUnknownAgentKind(text));
    else if (known && !read.isKnown) warnOfUnknownAgent(read.pattern, place, report);
    return read.kind === 'pattern' ? [read.pattern] : [];
  });
}

function warnOfUnknownAgent(
  { isBare, kind, text }: AgentPattern,
  place: Path,
  report: ProblemReporter,
): void {
  // Keys are created and revoked at run time.
  if (kind === 'key' && !isBare) return;
  const means = isBare ? `it means the key of that name: write key:${text}` : 'it matches no agent';
  report.warn(place, `There is no agent like “${text}” here; ${means}.`);
}

function compileWhen(
  { when }: RuleInput,
  path: Path,
  { compile, report }: RuleReaderContext,
): ReadCondition {
  if (when === undefined) return {};
  const compiled = compile(when);
  if (compiled.ok) {
    const { ast, condition, lookBackMs, mentions } = compiled;
    return { ast, condition, lookBackMs, ...(mentions.length > 0 && { mentions }) };
  }
  const message = `This condition can't be used: ${compiled.problem}`;
  report.errorIn([...path, 'when'], compiled.at, message);
  return NEVER;
}

function toRuling(input: RuleInput, defaultRoute: string): PolicyRuling<string> {
  if (input.gate === 'run') return { gate: 'run' };
  if (input.gate === 'refuse') return refusal(input);
  const { risk, route = defaultRoute } = input;
  return { gate: 'ask', route, ...(risk && { risk }) };
}

function refusal({ reason }: RuleInput | DefaultInput) {
  return { gate: 'refuse', reason: reason ?? 'The policy does not allow it.' } as const;
}

/** Rejects keys without effect for this gate, because they would mislead readers. */
function checkRuling(
  input: RuleInput | DefaultInput,
  path: Path,
  { report, routes }: RuleReaderContext,
): void {
  const { gate, reason, route } = input;
  const hasCondition = 'when' in input && input.when !== undefined;
  if (route !== undefined && !routes.includes(route)) {
    report.error([...path, 'route'], `There is no route “${route}”.${suggestName(route, routes)}`);
  }
  const hasNoEffect = {
    route: gate === 'refuse' || (gate === 'run' && !hasCondition),
    risk: gate !== 'ask',
    reason: gate !== 'refuse',
  };
  for (const key of ['route', 'risk', 'reason'] as const) {
    if (input[key] === undefined || !hasNoEffect[key]) continue;
    report.errorAtKey([...path, key], `“${key}” has no effect with gate: ${gate}. Remove it.`);
  }
  if (reason === undefined && gate === 'refuse') {
    report.errorAtKey(
      [...path, 'gate'],
      '“reason” is missing: a sentence that tells the agent and people why it is refused.',
    );
  }
}

/** Tools of MCP servers (`server__tool`) come and go, so their names are not checked. */
const SERVER_TOOL = /^[A-Za-z0-9][A-Za-z0-9_-]*__/;

function warnOfUnknownTools(
  { tools }: RuleInput,
  path: Path,
  { known, report }: RuleReaderContext,
): void {
  if (!known) return;
  for (const [index, glob] of tools.entries()) {
    if (known.tools.some((name) => matchesGlob(glob, name))) continue;
    if (SERVER_TOOL.test(glob)) continue;
    const hint = glob.includes('*') ? hintOfPattern(glob) : suggestName(glob, known.tools);
    const where = ' Your own tools come from TOOLS_MODULE.';
    report.warn([...path, 'tools', index], `There is no tool like “${glob}” here.${hint}${where}`);
  }
}

function hintOfPattern(glob: string): string {
  return glob.includes('.*') ? ' Use * alone as the wildcard: a dot is just a dot.' : '';
}

/** Programs and graphs bring their own tools. */
function isForExternalCallers({ agent }: RuleInput): boolean {
  return agent?.every((text) => /^(?:key|graph):/.test(text)) ?? false;
}

function warnOfFields(
  input: RuleInput,
  ast: ASTNode,
  path: Path,
  { known, report }: RuleReaderContext,
): void {
  const found = isForExternalCallers(input) ? undefined : schemasOf(input.tools, known);
  if (!found) return;
  for (const unknown of findUnknownFields(ast, found.schemas)) {
    const message = describeUnknownField(unknown, found);
    if (message !== undefined) report.warnIn([...path, 'when'], unknown.at, message);
  }
}
