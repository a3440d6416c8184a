import { BUILT_IN_HELPERS } from '../../agent/tools/built-in-helpers.ts';
import { type Config, ConfigError, readConfig } from '../../config/config.ts';
import { EnvFileError } from '../../config/env-file/read-env-file.ts';
import { secretValuesOf } from '../../config/secret-settings.ts';
import type { KnownNames } from '../../policy/file/read-rules.ts';
import { redactSecrets } from '../../process/redact-secrets.ts';
import { checkStore } from '../../stores/check-store.ts';
import { type CommandDeps, EXIT, type ExitCode, writeJsonOutput } from '../command.ts';
import { parseArguments } from '../parse-arguments.ts';
import { readKnownNames } from '../policy/known-names.ts';
import { createOfflineTools } from '../policy/offline-tools.ts';
import { checkInstallation } from './check-installation.ts';
import { checkClock, checkPort, checkSandbox, checkWorkspace } from './check-machine.ts';
import { checkGraph, checkModel } from './check-model.ts';
import { checkPolicyFile } from './check-policy.ts';
import { checkServers } from './check-servers.ts';
import { checkSlack, type SlackCheck } from './check-slack.ts';
import { type Finding, findingsOf, messageOf } from './finding.ts';

/** The checks, in the order of the report. */
const CHECKS = [
  'settings',
  'slack',
  'model',
  'store',
  'port',
  'clock',
  'sandbox',
  'tools',
  'mcp',
  'policy',
] as const;

type Report = Readonly<Record<(typeof CHECKS)[number], readonly Finding[]>>;

/**
 * Checks everything that a start needs, without changing anything. Each line says “ok” or what to
 * do.
 */
export async function runDoctor(args: readonly string[], deps: CommandDeps): Promise<ExitCode> {
  const { values } = parseArguments({
    args: [...args],
    options: { json: { type: 'boolean', default: false } },
  });
  const read = readSettings(deps);
  const report: Partial<Report> =
    'problems' in read
      ? { settings: findingsOf('problem', read.problems) }
      : await checkAll(read.config, { ...deps, env: read.env });
  const secrets = 'config' in read ? secretValuesOf(read.config) : [];
  const lines = CHECKS.flatMap((check) =>
    (report[check] ?? findingsOf('skipped', ['Correct the settings first.'])).map(
      ({ message, status }) => ({ check, status, message: redactSecrets(message, secrets) }),
    ),
  );
  const problems = lines.filter(({ status }) => status === 'problem').length;
  if (values.json) writeJsonOutput(deps, { ok: problems === 0, checks: lines });
  else {
    for (const line of lines) deps.out(describeLine(line));
    deps.out(describeEnd(problems));
  }
  return problems === 0 ? EXIT.fine : EXIT.problems;
}

type Settings =
  | { readonly config: Config; readonly env: CommandDeps['env'] }
  | { readonly problems: readonly string[] };

/** The environment wins over the file, as in the app. */
function readSettings({ env, readEnvFile = () => ({}) }: CommandDeps): Settings {
  try {
    const envFile = readEnvFile();
    const all = { ...envFile, ...withoutUndefined(env) };
    return { config: readConfig(all, { envFile }), env: all };
  } catch (error) {
    if (error instanceof ConfigError) return { problems: error.problems };
    if (error instanceof EnvFileError) return { problems: [error.message] };
    throw error;
  }
}

function withoutUndefined(env: CommandDeps['env']): CommandDeps['env'] {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined));
}

/** Runs the checks in parallel, except those that need the result of another. */
async function checkAll(config: Config, deps: CommandDeps): Promise<Report> {
  const isSlack = config.mode === 'slack';
  const [slack, agent, store, clock, sandbox, tools, mcp] = await Promise.all([
    isSlack ? checkSlack(config) : NO_SLACK,
    checkAgent(config, deps),
    checkStoreAndPort(config, deps),
    isSlack ? checkClock(config, deps) : NO_CLOCK,
    checkSandbox(config, deps),
    checkTools(config, deps),
    checkServers(config.mcp.servers, deps),
  ]);
  const owner = await checkInstallation(config, slack.connection);
  const known = { ...tools.known, tools: [...tools.known.tools, ...mcp.tools] };
  return {
    settings: [...describeMode(config), ...findingsOf('warning', config.warnings)],
    slack: slack.findings,
    model: [agent],
    store: [...store.store, ...owner],
    port: store.port,
    clock: [clock],
    sandbox: [sandbox],
    tools: tools.findings,
    mcp: mcp.findings,
    policy: await checkPolicyFile(config, slack.connection, known),
  };
}

const NO_SLACK: SlackCheck = {
  findings: [{ status: 'ok', message: 'No token is set: npm start opens the playground.' }],
};
const NO_CLOCK: Finding = { status: 'ok', message: 'Not needed for the playground.' };

function describeMode({ dataDir, mode, redis }: Config): readonly Finding[] {
  const where = redis ? 'Redis' : dataDir;
  const what = mode === 'slack' ? 'A Slack workspace' : 'The playground';
  return findingsOf('ok', [`${what}, with its records in ${where}.`]);
}

async function checkAgent({ graph, model }: Config, deps: CommandDeps): Promise<Finding> {
  if (graph) return await checkGraph(graph, deps);
  if (model) return await checkModel(model, deps);
  return { status: 'ok', message: 'No model is set: the playground answers from a script.' };
}

async function checkStoreAndPort(
  config: Config,
  deps: CommandDeps,
): Promise<Pick<Report, 'store' | 'port'>> {
  const port = () => checkPort(config);
  try {
    const { isInUse, message, warnings } = await checkStore(config, deps);
    const store = [...findingsOf('ok', [message]), ...findingsOf('warning', warnings)];
    const inUse: Finding = { status: 'ok', message: 'Not checked: an app is running.' };
    return { store, port: [isInUse ? inUse : await port()] };
  } catch (error) {
    return { store: findingsOf('problem', [messageOf(error)]), port: [await port()] };
  }
}

async function checkTools(
  config: Config,
  deps: CommandDeps,
): Promise<{ readonly findings: readonly Finding[]; readonly known: KnownNames }> {
  const env = { ...deps.env, TOOLS_MODULE: config.toolsModule };
  const tools = await createOfflineTools({ ...deps, env });
  // The store check reports keys that cannot be read.
  const { known } = await readKnownNames(tools, { ...deps, env });
  const problems = tools.problem === undefined ? [] : [tools.problem];
  const own = tools.helpers.length - BUILT_IN_HELPERS.length;
  const moduleMessages = config.toolsModule
    ? [`TOOLS_MODULE can be used${own > 0 ? `, with ${own} agents` : ''}.`]
    : [];
  return {
    known,
    findings: [
      checkWorkspace(config),
      ...findingsOf('problem', problems),
      ...(problems.length > 0 ? [] : findingsOf('ok', moduleMessages)),
    ],
  };
}

function describeLine({ check, message, status }: Finding & { readonly check: string }): string {
  const [first = '', ...rest] = message.split('\n');
  const start = `${status.padEnd(8)} ${check.padEnd(9)}`;
  return [`${start} ${first}`, ...rest.map((line) => `${' '.repeat(start.length)} ${line}`)].join(
    '\n',
  );
}

function describeEnd(problems: number): string {
  if (problems === 0) return '\nReady. Start it with npm start.';
  return `\n${problems === 1 ? 'One problem' : `${problems} problems`} to fix before the start.`;
}
