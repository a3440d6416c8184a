import type { Call } from '../../domain/calls/call.ts';
import { readStoredJson } from '../../domain/json/json.ts';
import type { LiveTask } from '../../domain/ports/chat.ts';

const THINKING = 'thinking';

const IS_DONE: ReadonlySet<LiveTask['status']> = new Set(['complete', 'error']);

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

/** Tells of a call in the words of a growing message: its tool and how it stands, never its arguments. */
export function toLiveTask(call: Call): LiveTask {
  const { id, tool, status } = call;
  return { id, tool, status: STATUSES[status], ...helperOf(call) };
}

/** Arguments of a delegated call were read by the tool: the name is one of the configured ones. */
function helperOf({ args, child }: Call): Pick<LiveTask, 'helper'> {
  const value = child === undefined ? undefined : readStoredJson(args);
  const isNamed = typeof value === 'object' && value !== null && 'agent' in value;
  return isNamed && typeof value.agent === 'string' ? { helper: value.agent } : {};
}

/** Notes that the agent thinks while nothing else tells that it works, and that it has when something does. */
export function noteThinking(tasks: Map<string, LiveTask>, text: string): void {
  const others = [...tasks.values()].filter(({ id }) => id !== THINKING);
  const isIdle = text.trim() === '' && others.every(({ status }) => IS_DONE.has(status));
  if (!isIdle && !tasks.has(THINKING)) return;
  tasks.set(THINKING, { id: THINKING, status: isIdle ? 'in_progress' : 'complete' });
}
