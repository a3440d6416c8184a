/** The commands that a coding agent starts beside itself: they speak with it over their standard streams, and with a desk over HTTP. */
import type { Readable, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createCountersign } from '../client/countersign-client.ts';
import { parseDuration } from '../domain/text/duration.ts';
import type { McpCaller, RequestDefaults } from '../mcp/asker.ts';
import { answerPreToolUse } from '../mcp/pre-tool-use.ts';
import { serveStdio } from '../mcp/serve-stdio.ts';
import { type CommandDeps, EXIT, type ExitCode, UsageError } from './command.ts';
import { parseArguments, parseWordList } from './parse-arguments.ts';

/** What these commands work with. */
export interface AgentCommandDeps extends Pick<CommandDeps, 'clock' | 'env' | 'err'> {
  readonly input: Readable;
  readonly output: Writable;
  /** Whether what is written to the output goes nowhere. */
  readonly isUnheard: boolean;
  /** Aborted when the process is told to end. */
  readonly signal: AbortSignal;
}

/** The names of these commands. */
export const AGENT_COMMANDS = ['mcp', 'hook'] as const;

/** An agent's hook is given up after ten minutes unless it says otherwise, and then the tool runs. */
const DEFAULT_HOOK_WAIT = '9m';
/** How many seconds a desk that can't be reached is tried, while an agent stands still for it. */
const PATIENCE = 30;
/** Whoever ends a hook kills it soon, and then the tool would run: until then it takes back what it asked. */
const TAKE_BACK_MS = 2_000;

/** Runs one of them; resolves with the exit code. A hook that can't work ends with 2, which blocks the tool. */
export async function runAgentCommand(
  name: (typeof AGENT_COMMANDS)[number],
  args: readonly string[],
  deps: AgentCommandDeps,
): Promise<ExitCode> {
  try {
    await (name === 'mcp' ? serveMcp(args, deps) : answerHook(args, deps));
    return EXIT.fine;
  } catch (error) {
    deps.err(error instanceof Error ? error.message : String(error));
    return EXIT.usage;
  }
}

async function serveMcp(args: readonly string[], deps: AgentCommandDeps): Promise<void> {
  const { values } = parseArguments({ args: [...args], options: PLACE });
  const { input, output, signal } = deps;
  await serveStdio(readAsker(deps), { defaults: values, input, output, signal });
  input.destroy();
}

async function answerHook(args: readonly string[], deps: AgentCommandDeps): Promise<void> {
  const { values } = parseArguments({
    args: [...args],
    options: {
      ...PLACE,
      tools: { type: 'string', default: '*' },
      wait: { type: 'string', default: DEFAULT_HOOK_WAIT },
    },
  });
  const { tools, wait, ...defaults } = values;
  // One that is missing would let its tools run.
  const patterns = parseWordList('--tools', tools);
  const waitMs = parseDuration(wait);
  if (waitMs === undefined) throw new UsageError('--wait is a span of time, like 9m or 55m.');
  const ending = new AbortController();
  let isAsked = false;
  deps.signal.addEventListener('abort', () => ending.abort(new Error(describeEnd(deps, isAsked))));
  const tooLate = new Promise<never>((_resolve, reject) => {
    const { clock } = deps;
    ending.signal.addEventListener('abort', () =>
      clock.schedule(clock.now() + TAKE_BACK_MS, () => reject(ending.signal.reason)),
    );
  });
  const asking = answerPreToolUse(
    await Promise.race([readInput(deps.input), tooLate]),
    readAsker(deps).api,
    { ...(defaults satisfies RequestDefaults), tools: patterns },
    {
      wait: waitMs / 1_000,
      signal: ending.signal,
      onWaiting: () => {
        isAsked = true;
      },
    },
  );
  const answer = await Promise.race([asking, tooLate]);
  if (answer !== '') await forwardOutput(answer, deps);
  // Whoever ended it may not read the answer any more.
  if (ending.signal.aborted) throw ending.signal.reason;
}

async function readInput(input: Readable): Promise<string> {
  const bytes = await buffer(input);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new Error('The hook can’t read what it was asked: it is not UTF-8.', { cause });
  }
}

/** An answer that does not arrive is none to the agent, and its tool would run, edited or not. */
async function forwardOutput(
  answer: string,
  { isUnheard, output }: Pick<AgentCommandDeps, 'isUnheard' | 'output'>,
): Promise<void> {
  const lost = (why: string, cause?: unknown) =>
    new Error(`The hook’s answer can’t be handed over, so nothing runs: ${why}. ${answer}`, {
      cause,
    });
  if (isUnheard) throw lost('its standard output is closed');
  await new Promise<void>((resolve, reject) => {
    output.write(`${answer}\n`, (error) => {
      if (error) reject(lost(error.message, error));
      else resolve();
    });
  });
}

/** Whoever ends a hook that waits too long has to learn whether it waited for people or for the desk. */
function describeEnd({ env }: Pick<CommandDeps, 'env'>, isAsked: boolean): string {
  return isAsked
    ? 'The hook was told to end while people were asked.'
    : `The hook was told to end before the desk at ${env.COUNTERSIGN_URL} had answered: is it running, and is that its address?`;
}

const PLACE = { channel: { type: 'string' }, requester: { type: 'string' } } as const;

function readAsker({ env }: Pick<CommandDeps, 'env'>): McpCaller {
  const { COUNTERSIGN_URL: url = '', COUNTERSIGN_API_KEY: key = '' } = env;
  if (!/^https?:/.test(url) || !URL.canParse(url)) {
    throw new UsageError(
      'Set COUNTERSIGN_URL to the address of the desk, like https://countersign.example.com.',
    );
  }
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new UsageError(
      'Set COUNTERSIGN_API_KEY to a key that “npx --no -- countersign keys create” has made, whole.',
    );
  }
  return { api: createCountersign({ url, key, patience: PATIENCE }) };
}
