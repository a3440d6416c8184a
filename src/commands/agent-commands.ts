/**
 * The commands that a coding agent starts. They talk to the agent over standard streams, and to a
 * desk over HTTP.
 */
import type { Readable, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createCountersign } from '../client/countersign-client.ts';
import { parseDuration } from '../domain/text/duration.ts';
import type { McpCaller, RequestDefaults } from '../mcp/asker.ts';
import { answerPreToolUse } from '../mcp/pre-tool-use.ts';
import { serveStdio } from '../mcp/serve-stdio.ts';
import { type CommandDeps, EXIT, type ExitCode, UsageError } from './command.ts';
import { parseArguments, parseWordList } from './parse-arguments.ts';

export interface AgentCommandDeps extends Pick<CommandDeps, 'clock' | 'env' | 'err'> {
  readonly input: Readable;
  readonly output: Writable;
  /** Whether standard output is closed. */
  readonly isUnheard: boolean;
  /** Aborted when the process gets a signal to end. */
  readonly signal: AbortSignal;
}

/** The names of these commands. */
export const AGENT_COMMANDS = ['mcp', 'hook'] as const;

/** Agents give up on a hook after ten minutes by default, and then run the tool. */
const DEFAULT_HOOK_WAIT = '9m';
/** How long to retry an unreachable desk while the agent waits, in seconds. */
const RETRY_SECONDS = 30;
/**
 * How long the hook may take to cancel its request after a signal, before it is killed and the tool
 * would run.
 */
const CANCEL_MS = 2_000;

/**
 * Runs an agent command and returns its exit code. A hook that fails returns 2, which blocks the
 * tool.
 */
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
  const { values } = parseArguments({ args: [...args], options: REQUEST_OPTIONS });
  const { input, output, signal } = deps;
  await serveStdio(createCaller(deps), { defaults: values, input, output, signal });
  input.destroy();
}

async function answerHook(args: readonly string[], deps: AgentCommandDeps): Promise<void> {
  const { values } = parseArguments({
    args: [...args],
    options: {
      ...REQUEST_OPTIONS,
      tools: { type: 'string', default: '*' },
      wait: { type: 'string', default: DEFAULT_HOOK_WAIT },
    },
  });
  const { tools, wait, ...defaults } = values;
  // A missing pattern would let its tools run without pendingAnswer.
  const patterns = parseWordList('--tools', tools);
  const waitMs = parseDuration(wait);
  if (waitMs === undefined) throw new UsageError('--wait must be a duration, like 9m or 55m.');
  const ending = new AbortController();
  let isWaiting = false;
  deps.signal.addEventListener('abort', () =>
    ending.abort(new Error(describeEnd(deps, isWaiting))),
  );
  const cancelTimeout = new Promise<never>((_resolve, reject) => {
    const { clock } = deps;
    ending.signal.addEventListener('abort', () =>
      clock.schedule(clock.now() + CANCEL_MS, () => reject(ending.signal.reason)),
    );
  });
  const pendingAnswer = answerPreToolUse(
    await Promise.race([readInput(deps.input), cancelTimeout]),
    createCaller(deps).api,
    { ...(defaults satisfies RequestDefaults), tools: patterns },
    {
      wait: waitMs / 1_000,
      signal: ending.signal,
      onWaiting: () => {
        isWaiting = true;
      },
    },
  );
  const answer = await Promise.race([pendingAnswer, cancelTimeout]);
  if (answer !== '') await forwardOutput(answer, deps);
  // After a signal the agent may no longer read the answer, so block the tool.
  if (ending.signal.aborted) throw ending.signal.reason;
}

async function readInput(input: Readable): Promise<string> {
  const bytes = await buffer(input);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new Error('The hook’s input is not UTF-8.', { cause });
  }
}

/**
 * Rejects if the answer cannot be written. The agent would treat it as no answer and run the tool.
 */
async function forwardOutput(
  answer: string,
  { isUnheard, output }: Pick<AgentCommandDeps, 'isUnheard' | 'output'>,
): Promise<void> {
  const undelivered = (why: string, cause?: unknown) =>
    new Error(`The hook’s answer can’t be delivered, so nothing runs: ${why}. ${answer}`, {
      cause,
    });
  if (isUnheard) throw undelivered('its standard output is closed');
  await new Promise<void>((resolve, reject) => {
    output.write(`${answer}\n`, (error) => {
      if (error) reject(undelivered(error.message, error));
      else resolve();
    });
  });
}

/** Says whether the hook was waiting for people or for the desk. */
function describeEnd({ env }: Pick<CommandDeps, 'env'>, isWaiting: boolean): string {
  return isWaiting
    ? 'The hook was stopped while people were deciding.'
    : `The hook was stopped before Countersign at ${env.COUNTERSIGN_URL} answered. Check that it is running, and that the address is right.`;
}

const REQUEST_OPTIONS = { channel: { type: 'string' }, requester: { type: 'string' } } as const;

function createCaller({ env }: Pick<CommandDeps, 'env'>): McpCaller {
  const { COUNTERSIGN_URL: url = '', COUNTERSIGN_API_KEY: key = '' } = env;
  if (!/^https?:/.test(url) || !URL.canParse(url)) {
    throw new UsageError(
      'Set COUNTERSIGN_URL to the address of your Countersign server, like https://countersign.example.com.',
    );
  }
  if (!/^[\x21-\x7e]+$/.test(key)) {
    throw new UsageError(
      'Set COUNTERSIGN_API_KEY to a whole key from “npx --no -- countersign keys create”.',
    );
  }
  return { api: createCountersign({ url, key, patience: RETRY_SECONDS }) };
}
