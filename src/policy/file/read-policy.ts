import { createHash } from 'node:crypto';
import type { Policy, PolicyRuling, Redaction } from '../../domain/policy/policy.ts';
import type { DraftRoute, PolicyName } from '../../domain/policy/policy-routes.ts';
import { REQUESTER_ROUTE } from '../../domain/policy/route.ts';
import { createConditionCompiler } from '../conditions/compile-condition.ts';
import { findUnknownPath } from '../conditions/find-unknown-fields.ts';
import type { PolicyProblem } from '../policy-problem.ts';
import { FileSchema, RedactSchema } from './policy-schema.ts';
import { type Path, type PolicySource, parsePolicySource } from './policy-source.ts';
import { createProblemReporter, type ProblemReporter } from './problem-reporter.ts';
import { readRoutes } from './read-routes.ts';
import { type KnownNames, readDefault, readRules } from './read-rules.ts';
import { readValue } from './read-value.ts';
import { describeUnknownField, schemasOf } from './tool-schemas.ts';

/** A valid policy file whose names are not looked up yet. */
export interface PolicyFile {
  /** SHA-256 of the text. */
  readonly hash: string;
  /** Refers to routes by name. */
  readonly policy: Policy<string>;
  /** Without the built-in route. */
  readonly routes: ReadonlyMap<string, DraftRoute>;
  readonly warnings: readonly PolicyProblem[];
  /** Creates a problem for a value, found later. */
  problemAt(path: Path, message: string): PolicyProblem;
  /** The same for a name, at its first occurrence. */
  problemOf(name: PolicyName, message: string): PolicyProblem;
}

/** Parses a policy file. Lists everything wrong, and warns about unknown tools and agents. */
export function readPolicy(
  text: string,
  known?: KnownNames,
):
  | { readonly ok: true; readonly file: PolicyFile }
  | { readonly ok: false; readonly problems: readonly PolicyProblem[] } {
  const read = parsePolicySource(text);
  if (!read.ok) {
    const problems = read.problems.map(({ place, message }) => ({
      severity: 'error' as const,
      ...place,
      message,
      source: read.lines[place.line - 1] ?? '',
    }));
    return { ok: false, problems };
  }
  const { source } = read;
  const report = createProblemReporter(source);
  const parts = readParts(source, report, known);
  const problems = report.problems();
  if (!parts || problems.some(({ severity }) => severity === 'error')) {
    return { ok: false, problems };
  }
  const hash = createHash('sha256').update(text).digest('hex');
  const problemAt = (path: Path, message: string): PolicyProblem => {
    const place = source.placeOf(path);
    return { severity: 'error', ...place, message, source: source.lines[place.line - 1] ?? '' };
  };
  const problemOf = (name: PolicyName, message: string) =>
    problemAt(pathOfName(source, parts.routes, name), message);
  return { ok: true, file: { hash, ...parts, warnings: problems, problemAt, problemOf } };
}

function readParts(
  source: PolicySource,
  report: ProblemReporter,
  known: KnownNames | undefined,
): Pick<PolicyFile, 'policy' | 'routes'> | undefined {
  const { value } = source;
  if (value === null) {
    report.error([], 'The file is empty. Begin it with version: 1.');
    return undefined;
  }
  const { value: whole } = readValue(FileSchema, value, { path: [], what: 'the file', report });
  // If only the version is wrong, report the other problems too.
  const file = whole ?? FileSchema.safeParse({ ...Object(value), version: 1 }).data;
  if (!file) return undefined;
  const routes = readRoutes(file.routes, report);
  const reading = {
    report,
    routes: [...Object.keys(file.routes), REQUESTER_ROUTE.name],
    compile: createConditionCompiler(known?.agents),
    known,
    lineOf: (path: Path) => source.placeOf(path).line,
  };
  const fallback = readDefault(file.default, reading);
  const rules = readRules(file.rules, fallback, reading);
  warnOfUnusedRoutes(routes, [...rules.map(({ ruling }) => ruling), fallback.ruling], report);
  const { onPolicyError: onError, slackMayLoosen } = file;
  const redact = readRedactions(file.redact, report, known);
  const policy = {
    onError,
    ...(slackMayLoosen && { slackMayLoosen }),
    ...(redact.length > 0 && { redact }),
    rules,
    fallback,
  };
  return { routes, policy };
}

function readRedactions(
  values: readonly unknown[],
  report: ProblemReporter,
  known: KnownNames | undefined,
): readonly Redaction[] {
  return values.flatMap((value, index) => {
    const path = ['redact', index];
    const read = readValue(RedactSchema, value, { path, what: `redact ${index + 1}`, report });
    if (read.value) warnOfUnknownArguments(read.value, path, report, known);
    return read.value ?? [];
  });
}

function warnOfUnknownArguments(
  { args, tools }: Redaction,
  path: Path,
  report: ProblemReporter,
  known: KnownNames | undefined,
): void {
  const found = schemasOf(tools, known);
  if (!found) return;
  for (const [index, dotted] of args.entries()) {
    const unknown = findUnknownPath(dotted, found.schemas);
    const message = unknown && describeUnknownField(unknown, found);
    if (message !== undefined) report.warn([...path, 'args', index], message);
  }
}

function warnOfUnusedRoutes(
  routes: ReadonlyMap<string, DraftRoute>,
  rulings: readonly PolicyRuling<string>[],
  report: ProblemReporter,
): void {
  const used = new Set(rulings.map((ruling) => (ruling.gate === 'ask' ? ruling.route : '')));
  for (const { escalate } of routes.values()) used.add(escalate?.to ?? '');
  for (const name of routes.keys()) {
    if (!used.has(name)) report.warnAtKey(['routes', name], `Nothing uses the route “${name}”.`);
  }
}

function pathOfName(
  source: PolicySource,
  routes: ReadonlyMap<string, DraftRoute>,
  name: PolicyName,
): Path {
  for (const [route, { channel }] of routes) {
    if (channel === name) return ['routes', route, 'channel'];
    const list = (source.value as RawFile).routes?.[route]?.approvers ?? [];
    const index = list.indexOf(name);
    if (index !== -1) return ['routes', route, 'approvers', index];
  }
  return ['routes'];
}

interface RawFile {
  readonly routes?: Readonly<Record<string, { readonly approvers?: readonly string[] }>>;
}
