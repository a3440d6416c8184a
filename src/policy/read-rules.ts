import { matchesGlob } from '../domain/glob.ts';
import type { Policy, Rule, Ruling } from '../domain/policy.ts';
import { REQUESTER_ROUTE } from '../domain/route.ts';
import type { CompiledCondition } from './compile-condition.ts';
import { type DefaultInput, DefaultSchema, type RuleInput, RuleSchema } from './policy-schema.ts';
import type { Path } from './policy-source.ts';
import { readValue, suggest } from './read-value.ts';
import type { Reporter } from './reporter.ts';

type Fallback = Policy<string>['fallback'];

/** What of the app a file can be compared with. */
export interface KnownNames {
  readonly tools: readonly string[];
  readonly agents: readonly string[];
}

/** What rules are read with. */
export interface RuleReading {
  readonly report: Reporter;
  /** Names of the routes that there are, the built-in one included. */
  readonly routes: readonly string[];
  readonly compile: (source: string) => CompiledCondition;
  readonly lineOf: (path: Path) => number;
  readonly known: KnownNames | undefined;
}

const NEVER: Pick<Rule<string>, 'condition'> = { condition: async () => false };

/** Reads what becomes of calls that no rule speaks of. */
export function readDefault(value: unknown, reading: RuleReading): Fallback {
  const builtIn = { gate: 'ask', route: REQUESTER_ROUTE.name } as const;
  if (value === undefined) return { name: 'no rule, and no default', ruling: builtIn };
  const path = ['default'];
  const name = `the default, line ${reading.lineOf(path)}`;
  const { report } = reading;
  const { value: input } = readValue(DefaultSchema, value, { path, what: 'the default', report });
  if (!input) return { name, ruling: builtIn };
  const route = input.route ?? REQUESTER_ROUTE.name;
  judgeRuling(input, path, reading);
  if (input.gate === 'refuse') return { name, ruling: refusal(input) };
  return { name, ruling: { gate: 'ask', route, ...(input.risk && { risk: input.risk }) } };
}

/** Reads the rules, in order; what is wrong with one is reported, and it is left out. */
export function readRules(
  values: readonly unknown[],
  fallback: Fallback,
  reading: RuleReading,
): readonly Rule<string>[] {
  const defaultRoute =
    fallback.ruling.gate === 'ask' ? fallback.ruling.route : REQUESTER_ROUTE.name;
  const rules: Rule<string>[] = [];
  for (const [index, value] of values.entries()) {
    const path = ['rules', index];
    const rule = readRule(value, path, defaultRoute, reading);
    if (!rule) continue;
    const earlier = findCover(rule, rules);
    if (earlier) reportCover(rule, earlier, path, reading);
    rules.push(rule);
  }
  return rules;
}

function readRule(
  value: unknown,
  path: Path,
  defaultRoute: string,
  reading: RuleReading,
): Rule<string> | undefined {
  const number = `rule ${Number(path.at(-1)) + 1}`;
  const place = { path, what: number, report: reading.report };
  const { value: input, isSound } = readValue(RuleSchema, value, place);
  if (!input) return undefined;
  judgeRuling(input, path, reading);
  warnOfStrangers(input, path, reading);
  return {
    name: `${number}, line ${reading.lineOf(path)}`,
    tools: input.tools,
    ...(input.agent && { agents: input.agent }),
    // Without a condition that could not be read it would cover what comes after it.
    ...(isSound ? compileWhen(input, path, reading) : NEVER),
    ...(input.when !== undefined && { when: input.when }),
    ruling: toRuling(input, defaultRoute),
    ...errorRouteOf(input, defaultRoute),
  };
}

/** What runs or refuses names a route only for that its condition can't be answered. */
function errorRouteOf(
  { gate, route }: RuleInput,
  defaultRoute: string,
): Pick<Rule<string>, 'errorRoute'> {
  const errorRoute = route ?? (gate === 'ask' ? defaultRoute : undefined);
  return errorRoute === undefined ? {} : { errorRoute };
}

/** What runs unasked without naming anybody leaves the calls of programs to what comes after it. */
function sparesPrograms({ agents, ruling }: Rule<string>): boolean {
  return ruling.gate === 'run' && !agents;
}

function reportCover(
  rule: Rule<string>,
  earlier: readonly Rule<string>[],
  path: Path,
  { report }: RuleReading,
): void {
  const names = earlier.map(({ name }) => name).join(' and ');
  const take = earlier.length === 1 ? 'takes' : 'take';
  if (earlier.some(sparesPrograms) && !sparesPrograms(rule)) {
    report.warn(path, `Only calls of programs come to this rule: ${names} ${take} all others.`);
    return;
  }
  report.error(
    path,
    `This rule never matches: ${names} ${take} all of its calls. Put it before, or take it out.`,
  );
}

function compileWhen(
  { when }: RuleInput,
  path: Path,
  { compile, report }: RuleReading,
): Pick<Rule<string>, 'condition' | 'lookBackMs'> {
  if (when === undefined) return {};
  const compiled = compile(when);
  if (compiled.ok) return { condition: compiled.condition, lookBackMs: compiled.lookBackMs };
  const message = `This condition can't be used: ${compiled.problem}`;
  report.errorIn([...path, 'when'], compiled.at, message);
  return NEVER;
}

function toRuling(input: RuleInput, defaultRoute: string): Ruling<string> {
  if (input.gate === 'run') return { gate: 'run' };
  if (input.gate === 'refuse') return refusal(input);
  const { risk, route = defaultRoute } = input;
  return { gate: 'ask', route, ...(risk && { risk }) };
}

function refusal({ reason }: RuleInput | DefaultInput) {
  return { gate: 'refuse', reason: reason ?? 'The policy does not allow it.' } as const;
}

/** Keys that say nothing beside this gate would make people believe in what does not hold. */
function judgeRuling(
  input: RuleInput | DefaultInput,
  path: Path,
  { report, routes }: RuleReading,
): void {
  const { gate, reason, risk, route } = input;
  const hasCondition = 'when' in input && input.when !== undefined;
  if (route !== undefined && !routes.includes(route)) {
    report.error([...path, 'route'], `There is no route “${route}”.${suggest(route, routes)}`);
  }
  if (route !== undefined && gate !== 'ask' && !hasCondition) {
    report.errorAtKey([...path, 'route'], `“route” has no effect with gate: ${gate}. Take it out.`);
  }
  if (risk !== undefined && gate !== 'ask') {
    report.errorAtKey([...path, 'risk'], `“risk” has no effect with gate: ${gate}. Take it out.`);
  }
  if (reason !== undefined && gate !== 'refuse') {
    report.errorAtKey(
      [...path, 'reason'],
      `“reason” has no effect with gate: ${gate}. Take it out.`,
    );
  }
  if (reason === undefined && gate === 'refuse') {
    report.errorAtKey(
      [...path, 'gate'],
      '“reason” is missing: a sentence that tells the agent and people why it is refused.',
    );
  }
}

function warnOfStrangers(
  { tools, agent = [] }: RuleInput,
  path: Path,
  { known, report }: RuleReading,
): void {
  if (!known) return;
  for (const [index, glob] of tools.entries()) {
    if (known.tools.some((name) => matchesGlob(glob, name))) continue;
    const hint = glob.includes('*') ? '' : suggest(glob, known.tools);
    report.warn([...path, 'tools', index], `There is no tool like “${glob}” here.${hint}`);
  }
  for (const glob of agent) {
    if (known.agents.some((name) => matchesGlob(glob, name))) continue;
    report.warn(
      [...path, 'agent'],
      `There is no helper like “${glob}” here: it is the name of a program, graph or server, or of nobody.`,
    );
  }
}

/** The earlier rules that together take every call of a rule; undefined when some are left for it. */
function findCover(
  rule: Rule<string>,
  earlier: readonly Rule<string>[],
): readonly Rule<string>[] | undefined {
  const takers = earlier.filter(
    ({ agents, condition }) => !condition && (!agents || coversAll(agents, rule.agents)),
  );
  const cover = rule.tools.map((tool) =>
    takers.find(({ tools }) => tools.some((glob) => matchesGlob(glob, tool))),
  );
  if (cover.includes(undefined)) return undefined;
  return [...new Set(cover.flatMap((taker) => taker ?? []))];
}

function coversAll(globs: readonly string[], others: readonly string[] | undefined): boolean {
  return others?.every((other) => globs.some((glob) => matchesGlob(glob, other))) ?? false;
}
