import type { Call } from '../../domain/calls/call.ts';
import { readStoredJson } from '../../domain/json/json.ts';
import type { LiveTask } from '../../domain/ports/chat.ts';

const THINKING = 'thinking';

const DONE: ReadonlySet<LiveTask['status']> = new Set(['complete', 'error']);

const STATUSES: Readonly<Record<Call['status'], LiveTask['status']>> = {
  proposed: 'pending',
  pending: 'pending',
  approved: 'in_progress',
  running: 'in_progress',
  unknown: 'error',
  succeeded: 'complete',
  failed: 'error',
  replied: 'complete',
  ignored: 'complete',
  expired: 'error',
  withdrawn: 'error',
  refused: 'error',
};

/** A call as shown in a live message: its tool and status, never its arguments. */
export function toLiveTask(call: Call): LiveTask {
  const { id, tool, status } = call;
  return { id, tool, status: STATUSES[status], ...helperOf(call) };
}

/** The tool has parsed the arguments of a delegated call, so the name is a configured helper. */
function helperOf({ args, child }: Call): Pick<LiveTask, 'helper'> {
  const value = child === undefined ? undefined : readStoredJson(args);
  const isNamed = typeof value === 'object' && value !== null && 'agent' in value;
  return isNamed && typeof value.agent === 'string' ? { helper: value.agent } : {};
}

/**
 * Adds a "thinking" entry while nothing else shows progress, and completes it when something does.
 */
export function noteThinking(tasks: Map<string, LiveTask>, text: string): void {
  const others = [...tasks.values()].filter(({ id }) => id !== THINKING);
  const isIdle = text.trim() === '' && others.every(({ status }) => DONE.has(status));
  if (!isIdle && !tasks.has(THINKING)) return;
  tasks.set(THINKING, { id: THINKING, status: isIdle ? 'in_progress' : 'complete' });
}
