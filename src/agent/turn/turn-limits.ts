import { canonicalJson } from '../../domain/json/json.ts';
import { parseStrictJson } from '../../domain/json/strict-json.ts';
import type { AssistantMessage, ModelCall, TurnMessage } from '../../domain/threads/message.ts';

const MAX_MODEL_CALLS = 25;
const MAX_SAME_FAILURES = 3;

/**
 * Returns a sentence for the person if a turn must stop at a limit; undefined if it may continue.
 */
export function checkTurnLimits(messages: readonly TurnMessage[]): string | undefined {
  const asked = messages.filter(({ role }) => role === 'assistant').length;
  if (asked >= MAX_MODEL_CALLS) {
    return `I stopped after ${MAX_MODEL_CALLS} steps without finishing. Tell me to continue, or ask for a smaller part.`;
  }
  const tool = toolThatKeepsFailing(messages);
  if (tool === undefined) return undefined;
  return `I stopped: ${tool} failed ${MAX_SAME_FAILURES} times with the same arguments. Tell me what to do differently.`;
}

function toolThatKeepsFailing(messages: readonly TurnMessage[]): string | undefined {
  const counts = new Map<string, number>();
  let asker: AssistantMessage | undefined;
  for (const message of messages) {
    if (message.role === 'assistant') asker = message;
    if (message.role !== 'tool' || message.status !== 'error') continue;
    const call = asker?.calls.find(({ id }) => id === message.callId);
    if (!call) continue;
    const key = sameCallKey(call);
    const count = (counts.get(key) ?? 0) + 1;
    if (count >= MAX_SAME_FAILURES) return call.tool;
    counts.set(key, count);
  }
  return undefined;
}

/** Equal for calls whose arguments differ only in spacing or key order. */
function sameCallKey(call: ModelCall): string {
  const json = parseStrictJson(call.args);
  return JSON.stringify([call.tool, json.ok ? canonicalJson(json.value) : call.args]);
}
