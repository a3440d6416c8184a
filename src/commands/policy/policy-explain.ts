import type { JsonValue } from '../../domain/json/json.ts';
import { parseStrictJson } from '../../domain/json/strict-json.ts';
import { NO_ADMIN_ROUTES } from '../../domain/policy/admin-routes.ts';
import {
  type AgentName,
  describeAmbiguousAgent,
  hasAgentKind,
  parseAgentPattern,
} from '../../domain/policy/agent-name.ts';
import {
  type ConditionLookups,
  type Evaluation,
  evaluatePolicy,
  redactedPathsOf,
} from '../../domain/policy/policy.ts';
import type { DraftRoute } from '../../domain/policy/policy-routes.ts';
import {
  defaultGate,
  type GateFacts,
  REQUESTER_ROUTE,
  type Risk,
} from '../../domain/policy/route.ts';
import { toTerminalLine } from '../../domain/text/terminal-text.ts';
import { threadKey } from '../../domain/threads/thread-key.ts';
import type { PolicyFile } from '../../policy/file/read-policy.ts';
import { type CommandDeps, EXIT, type ExitCode, UsageError, writeJsonOutput } from '../command.ts';
import { parseArguments } from '../parse-arguments.ts';
import {
  describeExplanation,
  type Explanation,
  explanationToJson,
} from './describe-explanation.ts';
import { applyAdminRoutes, readStoredAdminRoutes } from './explain-admin-routes.ts';
import { readKnownNames } from './known-names.ts';
import { createOfflineTools, type OfflineTools } from './offline-tools.ts';
import { openPolicyFile } from './open-policy-file.ts';
import { describeUnusablePolicy, NO_POLICY_FILE } from './policy-check.ts';

/**
 * Explains what would happen to a call, and by which rule. Does not connect to Slack or the app.
 */
export async function explainPolicy(args: readonly string[], deps: CommandDeps): Promise<ExitCode> {
  const options = readOptions(args);
  const tools = await createOfflineTools(deps);
  if (tools.problem !== undefined) deps.err(tools.problem);
  const { known, problem } = await readKnownNames(tools, deps);
  const call = readCall(options, tools, readAgent(options, known.agents));
  if (call.kind === 'unfit') {
    deps.err(call.why);
    return EXIT.problems;
  }
  const found = await openPolicyFile(options.file, deps, known);
  if (found.kind === 'broken') {
    deps.err(describeUnusablePolicy(found));
    return EXIT.problems;
  }
  const assumed = new Set<string>([...call.assumed, ...(problem === undefined ? [] : [problem])]);
  const lookups = assumeLookups(options, assumed);
  const file = found.kind === 'policy' ? found.file : undefined;
  const routes = file?.routes ?? new Map<string, DraftRoute>();
  const evaluation = await evaluate(file, call.facts, lookups);
  const set = await readStoredAdminRoutes(deps);
  if (set.kind === 'unknown') assumed.add(set.why);
  const effect = applyAdminRoutes(
    { evaluation, route: routeOf(evaluation, routes) },
    {
      tool: options.tool,
      mayLoosen: file?.policy.slackMayLoosen === true,
    },
    { book: set.kind === 'routes' ? set.book : NO_ADMIN_ROUTES, drafts: routes },
  );
  const explanation: Explanation = {
    file: found.kind === 'policy' ? found.path : undefined,
    hash: file?.hash,
    facts: call.facts,
    redact: file ? redactedPathsOf(file.policy, options.tool) : [],
    ...effect,
    assumed: [...assumed],
  };
  if (options.json) writeJsonOutput(deps, explanationToJson(explanation));
  else deps.out(describeExplanation(explanation));
  return EXIT.fine;
}

interface ExplainOptions {
  readonly tool: string;
  readonly args: JsonValue;
  readonly requester: string;
  readonly channel: string;
  readonly team: string;
  readonly agent?: string | undefined;
  /** A program or graph that brings its own tool. */
  readonly program?: string | undefined;
  readonly file?: string | undefined;
  readonly email?: string | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly json: boolean;
}

function readOptions(args: readonly string[]): ExplainOptions {
  const { positionals, values } = parseArguments({
    args: [...args],
    allowPositionals: true,
    options: {
      requester: { type: 'string' },
      channel: { type: 'string' },
      team: { type: 'string', default: 'T0' },
      agent: { type: 'string' },
      program: { type: 'string' },
      file: { type: 'string' },
      email: { type: 'string' },
      group: { type: 'string', multiple: true },
      json: { type: 'boolean', default: false },
    },
  });
  const [tool, text, ...others] = positionals;
  if (!tool || text === undefined || others.length > 0) {
    throw new UsageError('Name a tool and its arguments in quotes, like \'{"amount": 5}\'.');
  }
  const json = parseStrictJson(text);
  if (!json.ok) {
    const { column, line, reason } = json;
    throw new UsageError(
      `The arguments are not valid JSON (line ${line}, column ${column}): ${reason}`,
    );
  }
  const { agent, email, file, group, program } = values;
  if (agent !== undefined && program !== undefined) {
    throw new UsageError('Use --agent for a helper, or --program for a program, not both.');
  }
  return {
    tool,
    args: json.value,
    requester: idOf('--requester', values.requester, /^[UW][A-Z0-9]+$/, 'U012AB3CD'),
    channel: idOf('--channel', values.channel, /^[CGD][A-Z0-9]+$/, 'C012AB3CD'),
    team: idOf('--team', values.team, /^[TE][A-Z0-9]+$/, 'T012AB3CD'),
    json: values.json,
    agent,
    program,
    file,
    email,
    groups: group,
  };
}

function idOf(option: string, value: string | undefined, shape: RegExp, example: string): string {
  if (value !== undefined && shape.test(value)) return value;
  throw new UsageError(`${option} is an id of Slack, like ${option} ${example}.`);
}

/** Returns the agent of the call. A program is the graph if that is its name, otherwise a key. */
function readAgent(
  { agent, program }: ExplainOptions,
  known: readonly AgentName[],
): AgentName | undefined {
  const text = agent ?? program;
  if (text === undefined) return undefined;
  const kinds = agent === undefined ? (['key', 'graph'] as const) : (['helper'] as const);
  const named = known.filter(({ kind }) => kinds.some((each) => each === kind));
  const read = parseAgentPattern(
    hasAgentKind(text) || agent === undefined ? text : `helper:${text}`,
    named,
  );
  if (read.kind === 'ambiguous') throw new UsageError(describeAmbiguousAgent(text, read.meanings));
  const { glob, kind } = read.kind === 'pattern' ? read.pattern : {};
  if (glob !== undefined && kind && kinds.some((each) => each === kind))
    return { kind, name: glob };
  throw new UsageError(
    'A helper is named like --agent research, and a program like --program key:deploy-bot or --program graph:my-agent.',
  );
}

/** Parses the call as the desk would. Arguments that do not fit the tool never reach the policy. */
function readCall(
  options: ExplainOptions,
  { toolbox }: OfflineTools,
  agent: AgentName | undefined,
):
  | { readonly kind: 'unfit'; readonly why: string }
  | { readonly kind: 'call'; readonly facts: GateFacts; readonly assumed: readonly string[] } {
  const { args, channel, program, requester: user, team, tool: name } = options;
  // A program's tool is its own, even if it is named like one of ours.
  const tool = program === undefined ? toolbox.get(name) : undefined;
  const parsed = tool?.parse(args);
  if (parsed && !parsed.ok) {
    const problems = parsed.problems.map(({ message, path }) =>
      toTerminalLine(`  ${[...path, message].join(': ')}`),
    );
    const why = `The arguments do not fit ${name}. The agent gets an error, and the policy is not applied.`;
    return { kind: 'unfit', why: [why, ...problems].join('\n') };
  }
  const risk: Risk = tool?.risk ?? 'medium';
  const facts: GateFacts = {
    tool: name,
    args: parsed?.ok ? parsed.value : args,
    risk,
    requester: { team, user },
    channel,
    thread: threadKey({ team, channel, ts: '0' }),
    ...(agent && { agent }),
    ...(program !== undefined && { isOutside: true as const }),
  };
  const unknown = `There is no tool “${name}” here (your own tools come from TOOLS_MODULE). Its arguments are not checked.`;
  return { kind: 'call', facts, assumed: tool || program !== undefined ? [] : [unknown] };
}

/** Answers lookups of conditions with defaults, and records each as an assumption. */
function assumeLookups({ email, groups }: ExplainOptions, assumed: Set<string>): ConditionLookups {
  return {
    async emailOf() {
      if (email === undefined) assumed.add('The e-mail address is empty; --email sets it.');
      return email ?? '';
    },
    async groupsOf() {
      if (groups === undefined) assumed.add('The requester is in no user group; --group sets one.');
      return groups ?? [];
    },
    async earlierArgs() {
      assumed.add('The requester has made no other call of this tool: totals count only this one.');
      return [];
    },
  };
}

/** Without a policy file the built-in rules apply. */
async function evaluate(
  file: PolicyFile | undefined,
  facts: GateFacts,
  lookups: ConditionLookups,
): Promise<Evaluation<string>> {
  return file ? await evaluatePolicy(file.policy, facts, lookups) : evaluateBuiltIn(facts);
}

function evaluateBuiltIn(facts: GateFacts): Evaluation<string> {
  const answer = defaultGate(facts);
  const ruling =
    answer.kind === 'run'
      ? ({ gate: 'run' } as const)
      : ({ gate: 'ask', route: REQUESTER_ROUTE.name } as const);
  const isDefault = answer.isDefault ? { isDefault: true as const } : {};
  return { rule: `the built-in rules. ${NO_POLICY_FILE}`, ruling, ...isDefault, passedOver: [] };
}

function routeOf(
  { ruling }: Evaluation<string>,
  routes: ReadonlyMap<string, DraftRoute>,
): DraftRoute | undefined {
  if (ruling.gate !== 'ask') return undefined;
  const { escalate: _none, ...builtIn } = REQUESTER_ROUTE;
  return routes.get(ruling.route) ?? builtIn;
}
