import type { Call } from '../../../domain/calls/call.ts';
import type { Outcome } from '../../../domain/calls/outcome.ts';
import type { JsonValue } from '../../../domain/json/json.ts';
import { toWellFormed } from '../../../domain/json/to-plain-json.ts';
import type { Clock } from '../../../domain/ports/clock.ts';
import { type Tool, type ToolContext, UnknownOutcomeError } from '../../../domain/tools/tool.ts';

type RunOutcome = Extract<Outcome, { kind: 'result' | 'error' }>;

/**
 * How a run ended. `unresponsive`: the tool ignored its abort signal, `late` resolves when it ends.
 * `unknown`: the tool cannot tell.
 */
export type RunEnd =
  | { readonly kind: 'ended'; readonly outcome: RunOutcome }
  | { readonly kind: 'unknown'; readonly why: string }
  | {
      readonly kind: 'unresponsive';
      readonly cause: 'stop' | 'deadline';
      readonly late: Promise<RunOutcome>;
    };

const MAX_TEXT = 60_000;
/** How long a tool that obeys its abort signal may take to end; killing a command takes less. */
const GRACE_MS = 1_500;

/**
 * Runs a tool with a timeout, until it ends or a person stops it. A failure is an outcome; rejects
 * only if the context's signal aborts.
 */
export async function runTool(
  tool: Tool,
  args: JsonValue,
  context: ToolContext,
  limits: {
    readonly clock: Clock;
    readonly timeoutMs: number;
    readonly stopSignal: AbortSignal;
  },
): Promise<RunEnd> {
  const { clock, timeoutMs, stopSignal } = limits;
  context.signal.throwIfAborted();
  if (stopSignal.aborted) {
    const text = `${tool.name}${STOPPED} before it began.`;
    return { kind: 'ended', outcome: { kind: 'error', text } };
  }
  const timeout = new AbortController();
  const cancel = clock.schedule(clock.now() + timeoutMs, () => timeout.abort());
  const signal = AbortSignal.any([context.signal, stopSignal, timeout.signal]);
  let unknownOutcome: UnknownOutcomeError | undefined;
  const outcome = runToEnd().finally(cancel);

  /** Also catches what a tool without `async` throws synchronously. */
  async function runToEnd(): Promise<RunOutcome> {
    try {
      const text = await tool.run(args, { ...context, signal });
      return { kind: 'result', text: shortenResult(text === '' ? '(no output)' : text) };
    } catch (error) {
      if (error instanceof UnknownOutcomeError) unknownOutcome = error;
      return { kind: 'error', text: describeRunEnd(error) };
    }
  }

  function describeRunEnd(error: unknown): string {
    if (stopSignal.aborted) return describeStoppedRun(tool.name);
    return timeout.signal.aborted ? describeTimeout(tool, timeoutMs) : describeFailure(tool, error);
  }

  const ended = outcome.then((value) => ({ kind: 'ended', outcome: value }) as const);
  const end = await Promise.race([ended, graceExpired(signal, context.signal, clock)]);
  context.signal.throwIfAborted();
  if (unknownOutcome) return { kind: 'unknown', why: unknownOutcome.message };
  if (end) return end;
  return { kind: 'unresponsive', cause: stopSignal.aborted ? 'stop' : 'deadline', late: outcome };
}

/** Resolves when the grace period after the abort is over; at once if the worker must end. */
async function graceExpired(
  signal: AbortSignal,
  workSignal: AbortSignal,
  clock: Clock,
): Promise<void> {
  await aborted(signal);
  const late = new Promise<void>((resolve) => {
    clock.schedule(clock.now() + GRACE_MS, resolve);
  });
  await Promise.race([late, aborted(workSignal)]);
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Describes a run that a person stopped. */
export function describeStoppedRun(tool: string): string {
  return `${tool}${STOPPED} while it ran. It may have done part of its work.`;
}

const STOPPED = ' was stopped by a person';

/**
 * True if one of our own calls failed because a person stopped it. Error texts of tools never start
 * like this.
 */
export function wasStoppedByPerson({ outcome, outside, tool }: Call): boolean {
  return (
    outcome?.kind === 'error' &&
    outside === undefined &&
    outcome.text.startsWith(`${tool}${STOPPED}`)
  );
}

/** Describes an idempotent tool that kept running after it was told to stop. */
export function describeUnresponsiveTool(tool: string, cause: 'stop' | 'deadline'): string {
  const why = cause === 'stop' ? STOPPED : ' took too long and was told to stop';
  return `${tool}${why}, but has not ended: it may still be running. It may safely be called again.`;
}

function describeTimeout(tool: Tool, timeoutMs: number): string {
  const seconds = Math.round(timeoutMs / 1000);
  return `${tool.name} took longer than ${seconds} s and was stopped. It may have done part of its work: check before you try again.`;
}

function describeFailure(tool: Tool, error: unknown): string {
  return shortenResult(
    `${tool.name} failed: ${messageOf(error)}\nYou may correct the arguments, or choose another way.`,
  );
}

/** Anything can be thrown, even values that have no string form. */
function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return 'no reason given.';
  }
}

/**
 * Shortens a result in the middle to the model's limit and says so. Lone surrogates are replaced.
 */
export function shortenResult(text: string): string {
  if (text.length <= MAX_TEXT) return toWellFormed(text);
  const half = MAX_TEXT / 2;
  const left = text.length - MAX_TEXT;
  return toWellFormed(
    `${text.slice(0, half)}\n[… ${left} characters left out …]\n${text.slice(-half)}`,
  );
}
