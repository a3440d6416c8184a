import type { Call } from '../../../domain/calls/call.ts';
import type { Outcome } from '../../../domain/calls/outcome.ts';
import type { JsonValue } from '../../../domain/json/json.ts';
import { toWellFormed } from '../../../domain/json/to-plain-json.ts';
import type { Clock } from '../../../domain/ports/clock.ts';
import { type Tool, type ToolContext, UnknownOutcomeError } from '../../../domain/tools/tool.ts';

type RunOutcome = Extract<Outcome, { kind: 'result' | 'error' }>;

/** How a run ended; `deaf` when the tool went on though it was told to end, `late` resolves with its end; `unknown` when the tool can't tell. */
export type RunEnd =
  | { readonly kind: 'ended'; readonly outcome: RunOutcome }
  | { readonly kind: 'unknown'; readonly why: string }
  | {
      readonly kind: 'deaf';
      readonly cause: 'stop' | 'deadline';
      readonly late: Promise<RunOutcome>;
    };

const MAX_TEXT = 60_000;
/** What a tool takes at most to end that heeds its signal; a command is killed in less. */
const HEED_MS = 1_500;

/** Runs a tool under a deadline, until a person stops it; its failure is an outcome, and only the context's signal (the worker must end) makes it reject. */
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
  const tooLate = new AbortController();
  const cancel = clock.schedule(clock.now() + timeoutMs, () => tooLate.abort());
  const signal = AbortSignal.any([context.signal, stopSignal, tooLate.signal]);
  let lost: UnknownOutcomeError | undefined;
  const outcome = runToEnd().finally(cancel);

  /** A tool written without `async` may throw before it has a promise. */
  async function runToEnd(): Promise<RunOutcome> {
    try {
      const text = await tool.run(args, { ...context, signal });
      return { kind: 'result', text: shortenResult(text === '' ? '(no output)' : text) };
    } catch (error) {
      if (error instanceof UnknownOutcomeError) lost = error;
      return { kind: 'error', text: describeRunEnd(error) };
    }
  }

  function describeRunEnd(error: unknown): string {
    if (stopSignal.aborted) return describeStoppedRun(tool.name);
    return tooLate.signal.aborted ? describeTimeout(tool, timeoutMs) : describeFailure(tool, error);
  }

  const ended = outcome.then((value) => ({ kind: 'ended', outcome: value }) as const);
  const end = await Promise.race([ended, rejectIfUnresponsive(signal, context.signal, clock)]);
  context.signal.throwIfAborted();
  if (lost) return { kind: 'unknown', why: lost.message };
  if (end) return end;
  return { kind: 'deaf', cause: stopSignal.aborted ? 'stop' : 'deadline', late: outcome };
}

/** Resolves when a tool should have ended that was told to; at once when the worker must end. */
async function rejectIfUnresponsive(
  signal: AbortSignal,
  workSignal: AbortSignal,
  clock: Clock,
): Promise<void> {
  await aborted(signal);
  const late = new Promise<void>((resolve) => {
    clock.schedule(clock.now() + HEED_MS, resolve);
  });
  await Promise.race([late, aborted(workSignal)]);
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Says that a person ended a run. */
export function describeStoppedRun(tool: string): string {
  return `${tool}${STOPPED} while it ran. It may have done part of its work.`;
}

const STOPPED = ' was stopped by a person';

/** Tells whether a call of ours has failed because a person stopped it; no tool's own words begin so. */
export function wasStoppedByPerson({ outcome, outside, tool }: Call): boolean {
  return (
    outcome?.kind === 'error' &&
    outside === undefined &&
    outcome.text.startsWith(`${tool}${STOPPED}`)
  );
}

/** Says of a tool that may be run again that it goes on though it was told to end. */
export function describeUnresponsiveTool(tool: string, cause: 'stop' | 'deadline'): string {
  const why = cause === 'stop' ? STOPPED : ' took too long and was told to end';
  return `${tool}${why}, and has not ended: it may still be at work. It may safely be called again.`;
}

function describeTimeout(tool: Tool, timeoutMs: number): string {
  const seconds = Math.round(timeoutMs / 1000);
  return `${tool.name} took longer than ${seconds} s and was stopped. It may have done part of its work: look before you try again.`;
}

function describeFailure(tool: Tool, error: unknown): string {
  return shortenResult(
    `${tool.name} failed: ${wordsOf(error)}\nYou may correct the arguments, or choose another way.`,
  );
}

/** Anything can be thrown, even what no text can be made of. */
function wordsOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return 'it does not say why.';
  }
}

/** Cuts what the model is told down to what it can take, in the middle, and says so; half a character is none that it can be told. */
export function shortenResult(text: string): string {
  if (text.length <= MAX_TEXT) return toWellFormed(text);
  const half = MAX_TEXT / 2;
  const left = text.length - MAX_TEXT;
  return toWellFormed(
    `${text.slice(0, half)}\n[… ${left} characters left out …]\n${text.slice(-half)}`,
  );
}
