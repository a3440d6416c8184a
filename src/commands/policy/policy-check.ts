import { formatAgentPattern } from '../../domain/policy/agent-name.ts';
import { policyNamesIn } from '../../domain/policy/policy-routes.ts';
import { toTerminalLine } from '../../domain/text/terminal-text.ts';
import type { PolicyFile } from '../../policy/file/read-policy.ts';
import { formatPolicyProblem, type PolicyProblem } from '../../policy/policy-problem.ts';
import { type CommandDeps, EXIT, type ExitCode, UsageError, writeJsonOutput } from '../command.ts';
import { parseArguments } from '../parse-arguments.ts';
import { readKnownNames } from './known-names.ts';
import { createOfflineTools } from './offline-tools.ts';
import { type FoundPolicy, openPolicyFile } from './open-policy-file.ts';

/** Reports the problems of a policy file, without connecting to Slack. */
export async function checkPolicy(args: readonly string[], deps: CommandDeps): Promise<ExitCode> {
  const { positionals, values } = parseArguments({
    args: [...args],
    allowPositionals: true,
    options: { file: { type: 'string' }, json: { type: 'boolean', default: false } },
  });
  const named = [...positionals, ...(values.file === undefined ? [] : [values.file])];
  if (named.length > 1) throw new UsageError('Name one file.');
  const tools = await createOfflineTools(deps);
  const { known, problem } = await readKnownNames(tools, deps);
  const found = await openPolicyFile(named[0], deps, known);
  if (problem !== undefined) deps.err(problem);
  if (values.json) writeJsonOutput(deps, toJson(found, tools.problem));
  else deps.out(writeLine(found));
  if (tools.problem !== undefined && !values.json) deps.err(tools.problem);
  return found.kind === 'policy' ? EXIT.fine : EXIT.problems;
}

/** The message of all commands if there is no policy file. */
export const NO_POLICY_FILE =
  'There is no policy file: POLICY_FILE is unset, and ./policy.yaml does not exist. The built-in rules apply.';

function writeLine(found: FoundPolicy): string {
  if (found.kind === 'none') return NO_POLICY_FILE;
  if (found.kind === 'policy') return describeUsablePolicy(found.path, found.file);
  const { path, problems } = found;
  const warnings = problems.filter((problem) => isWarning(problem)).length;
  const errors = problems.length - warnings;
  const counts = [count(errors, 'error'), ...(warnings > 0 ? [count(warnings, 'warning')] : [])];
  return [
    ...problems.map((problem) => formatAnyProblem(path, problem)),
    `${toTerminalLine(path)} can't be used: ${counts.join(', ')}.`,
  ].join('\n');
}

function describeUsablePolicy(path: string, file: PolicyFile): string {
  const names = policyNamesIn(file.routes.values());
  return [
    ...file.warnings.map((problem) => formatPolicyProblem(path, problem)),
    `${toTerminalLine(path)} can be used: ${count(file.policy.rules.length, 'rule')}, ${count(file.routes.size, 'route')} of its own.`,
    ...(names.length === 0
      ? []
      : [
          `These names are looked up in Slack at the start: ${names.map(toTerminalLine).join(', ')}.`,
        ]),
    ...meaningsOf(file).map(
      ({ means, rule, text }) =>
        `${toTerminalLine(rule)}: “${toTerminalLine(text)}” means ${toTerminalLine(means)}.`,
    ),
  ].join('\n');
}

/** Lists what agent names without a kind mean in the rules. */
function meaningsOf({ policy }: PolicyFile) {
  return policy.rules.flatMap(({ agents = [], mentions = [], name }) =>
    [...agents, ...mentions]
      .filter(({ isBare }) => isBare)
      .map((pattern) => ({ rule: name, text: pattern.text, means: formatAgentPattern(pattern) })),
  );
}

/** Describes why a policy file is unusable, for commands that need one. */
export function describeUnusablePolicy({
  path,
  problems,
}: Extract<FoundPolicy, { kind: 'broken' }>): string {
  const errors = problems.filter((problem) => !isWarning(problem));
  return errors.map((problem) => formatAnyProblem(path, problem)).join('\n');
}

function formatAnyProblem(path: string, problem: PolicyProblem | string): string {
  return typeof problem === 'string' ? toTerminalLine(problem) : formatPolicyProblem(path, problem);
}

function isWarning(problem: PolicyProblem | string): boolean {
  return typeof problem !== 'string' && problem.severity === 'warning';
}

function count(things: number, word: string): string {
  return `${things} ${word}${things === 1 ? '' : 's'}`;
}

function toJson(found: FoundPolicy, toolsProblem: string | undefined): object {
  const toolsPart = toolsProblem === undefined ? {} : { toolsProblem };
  if (found.kind === 'none')
    return { ok: false, problems: [{ severity: 'error', message: NO_POLICY_FILE }], ...toolsPart };
  if (found.kind === 'broken') {
    return { ok: false, file: found.path, problems: found.problems.map(plain), ...toolsPart };
  }
  const { file, path } = found;
  return {
    ok: true,
    file: path,
    hash: file.hash,
    rules: file.policy.rules.length,
    routes: [...file.routes.keys()],
    names: policyNamesIn(file.routes.values()),
    agents: meaningsOf(file),
    problems: file.warnings.map(plain),
    ...toolsPart,
  };
}

function plain(problem: PolicyProblem | string): object {
  if (typeof problem === 'string') return { severity: 'error', message: problem };
  const { severity, line, column, message } = problem;
  return { severity, line, column, message };
}
