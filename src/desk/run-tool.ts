import type { Clock } from '../domain/clock.ts';
import type { JsonValue } from '../domain/json.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { Tool, ToolContext } from '../domain/tool.ts';

type RunEnd = Extract<Outcome, { kind: 'result' | 'error' }>;

const MAX_TEXT = 60_000;

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
  const tooLate = new AbortController();
  const cancel = clock.schedule(clock.now() + timeoutMs, () => tooLate.abort());
  const signal = AbortSignal.any([context.signal, stopSignal, tooLate.signal]);
  try {
    const text = await untilAborted(signal, () => tool.run(args, { ...context, signal }));
    return { kind: 'result', text: shorten(text === '' ? '(no output)' : text) };
  } catch (error) {
    context.signal.throwIfAborted();
    if (stopSignal.aborted) return { kind: 'error', text: sayStopped(tool.name) };
    return {
      kind: 'error',
      text: tooLate.signal.aborted ? sayTooLate(tool, timeoutMs) : sayWhy(tool, error),
    };
  } finally {
    cancel();
  }
}

/** A tool that ignores its signal must not hold up the thread. */
async function untilAborted<T>(signal: AbortSignal, run: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  return await new Promise<T>((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    // A tool written without `async` may throw before it has a promise.
    Promise.resolve()
      .then(run)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', stop));
  });
}

/** Says that a person ended a run. */
export function sayStopped(tool: string): string {
  return `${tool} was stopped by a person while it ran. It may have done part of its work, or still be ending it.`;
}

function sayTooLate(tool: Tool, timeoutMs: number): string {
  const seconds = Math.round(timeoutMs / 1000);
  return `${tool.name} took longer than ${seconds} s and was stopped. It may have done part of its work: look before you try again.`;
}

function sayWhy(tool: Tool, error: unknown): string {
  const why = error instanceof Error ? error.message : String(error);
  return shorten(
    `${tool.name} failed: ${why}\nYou may correct the arguments, or choose another way.`,
  );
}

/** Cuts what the model is told down to what it can take, in the middle, and says so. */
export function shorten(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  const half = MAX_TEXT / 2;
  const left = text.length - MAX_TEXT;
  return `${text.slice(0, half)}\n[… ${left} characters left out …]\n${text.slice(-half)}`;
}
