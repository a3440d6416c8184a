import { closestMatch } from 'leven';
import { toTerminalLine, toTerminalLines } from '../domain/text/terminal-text.ts';
import { exportAudit } from './audit/audit-export.ts';
import { verifyAudit } from './audit/audit-verify.ts';
import { runBackup } from './backup.ts';
import { type CommandDeps, EXIT, type ExitCode, UsageError } from './command.ts';
import { runDoctor } from './doctor/doctor.ts';
import { initFolder } from './init.ts';
import { runCreateKey, runListKeys, runRevokeKey, runRotateKey } from './keys/keys.ts';
import { checkPolicy } from './policy/policy-check.ts';
import { explainPolicy } from './policy/policy-explain.ts';

/** Usage texts by the first word of a command. Commands of one group share a text. */
const USAGES: Readonly<Record<string, string>> = {
  init: `  npx --no -- countersign init
      Writes a first .env and policy.yaml into this folder. Files that exist are not changed.`,
  doctor: `  npx --no -- countersign doctor [--json]
      Checks what a start needs: settings, Slack’s tokens and scopes, model, store, port, clock,
      sandbox, tools, MCP servers and policy. Each line says “ok”, or what to do. It sends the model
      one small request, starts the MCP servers and stops them again, and changes nothing.`,
  policy: `  npx --no -- countersign policy check [FILE | --file FILE] [--json]
      Lists the problems of a policy file.
  npx --no -- countersign policy explain TOOL 'ARGS' --requester U… --channel C… [--agent NAME | --program NAME] [--json]
      Says what would happen to a call, and by which rule. ARGS is the JSON of its arguments.
      --agent research, --program key:deploy-bot or graph:my-agent
                     who makes the call (default: the agent of the thread)
      --file FILE    (default: POLICY_FILE, or ./policy.yaml)
      --email …, --group S… (may be repeated), --team T…
                     the requester, as seen by policy conditions`,
  audit: `  npx --no -- countersign audit verify [--json]
      Verifies every entry of the audit, and names the first that was changed or is missing.
  npx --no -- countersign audit export [--from TIME] [--to TIME] [--format jsonl|csv] [--out FILE]
      Exports the entries of a time range. TIME is a day (2026-01-31), a time in UTC
      (2026-01-31T09:30), or how long ago (7d); a day as --to is included.
  Both read the records in DATA_DIR, or in Redis (REDIS_URL, REDIS_PREFIX), and change nothing.`,
  backup: `  npx --no -- countersign backup FILE
      Copies the records in DATA_DIR to FILE, and the installation’s key to FILE.key. The app may be running.`,
  keys: `  npx --no -- countersign keys create --name NAME [--scopes SCOPES] [--channels C…] [--owner U…]
                                      [--expires TIME] [--json]
      Creates a key for a program that uses the HTTP API, and shows it once.
      --scopes    request, request:TOOLS (like request:deploy_*), read (all calls, secrets hidden),
                  requesters (may ask for people other than its owner); separated by commas
                  (default: request)
      --channels  the channels that it may use; the first is the default (default: any)
      --owner     the person for whom it asks
      --expires   a duration of up to 3650d, like 90d (default: never)
  npx --no -- countersign keys list [--json]
  npx --no -- countersign keys revoke ID|NAME
      Revokes a key at once, and says how many of its calls are pending.
  npx --no -- countersign keys rotate ID|NAME [--overlap TIME] [--json]
      Gives a key a new secret. The old one works for the overlap (up to 3650d), or stops at once.
  Keys are stored in DATA_DIR, or in Redis (REDIS_URL, REDIS_PREFIX). The app may be running.`,
  mcp: `  npx --no -- countersign mcp [--channel C…] [--requester U…]
      Serves MCP on standard input and output: agents ask for approvals through it.
  npx --no -- countersign hook [--tools 'Bash,mcp__*'] [--wait 9m] [--channel C…] [--requester U…]
      Answers a PreToolUse hook: the tools that it names run only when people approve.
  Both connect to COUNTERSIGN_URL with COUNTERSIGN_API_KEY, and do not read .env.`,
};

const EXIT_CODES = `Exit codes: 0 success, 1 problems found, 2 usage error.`;

const COMMANDS: Readonly<
  Record<string, (args: readonly string[], deps: CommandDeps) => Promise<ExitCode>>
> = {
  init: initFolder,
  doctor: runDoctor,
  backup: runBackup,
  'policy check': checkPolicy,
  'policy explain': explainPolicy,
  'audit verify': verifyAudit,
  'audit export': exportAudit,
  'keys create': runCreateKey,
  'keys list': runListKeys,
  'keys revoke': runRevokeKey,
  'keys rotate': runRotateKey,
};

/**
 * Runs the command in the arguments and returns its exit code. Rejects only for programming errors.
 */
export async function runCountersign(
  args: readonly string[],
  { out, err, ...others }: CommandDeps,
): Promise<ExitCode> {
  const deps: CommandDeps = {
    ...others,
    out: (text) => out(toTerminalLines(text)),
    err: (text) => err(toTerminalLines(text)),
  };
  if (args.includes('--help') || args.includes('-h') || args[0] === 'help') {
    deps.out(usageOf(undefined));
    return EXIT.fine;
  }
  const words = Object.hasOwn(COMMANDS, args[0] ?? '') ? 1 : 2;
  const command = COMMANDS[args.slice(0, words).join(' ')];
  try {
    if (!command) throw new UsageError(describeUnknown(args));
    return await command(args.slice(words), deps);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    deps.err(`${toTerminalLine(error.message)}${remedyOf(args, command === undefined)}`);
    return EXIT.usage;
  }
}

/** Returns the usage of one group, or of all. */
function usageOf(group: string | undefined): string {
  const one = group !== undefined && Object.hasOwn(USAGES, group) ? USAGES[group] : undefined;
  return `Usage:\n${one ?? Object.values(USAGES).join('\n')}\n\n${EXIT_CODES}`;
}

/** Suggests the nearest command for a typo; otherwise prints the usage. */
function remedyOf(args: readonly string[], isUnknown: boolean): string {
  const meant = isUnknown ? meantCommand(args) : undefined;
  return meant === undefined
    ? `\n\n${usageOf(args[0])}`
    : ` Did you mean “npx --no -- countersign ${meant}”?`;
}

/** Returns the command that a misspelled one probably means. */
function meantCommand(args: readonly string[]): string | undefined {
  const names = Object.keys(COMMANDS);
  const near = (words: number) =>
    closestMatch(args.slice(0, words).join(' ').toLowerCase(), names, { maxDistance: 2 });
  return args.length === 0 ? undefined : (near(2) ?? near(1));
}

function describeUnknown(args: readonly string[]): string {
  return args.length === 0
    ? 'Name a command.'
    : `There is no command “${args.slice(0, 2).join(' ')}”.`;
}
