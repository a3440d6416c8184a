import { canonicalJson } from '../../domain/json/json.ts';
import { parseStrictJson } from '../../domain/json/strict-json.ts';
import type { AssistantMessage, ModelCall, TurnMessage } from '../../domain/threads/message.ts';

const MAX_MODEL_CALLS = 25;
const MAX_SAME_FAILURES = 3;

/** Says why a turn must not go on, in words for the person; undefined when it may. */
export function checkTurnLimits(messages: readonly TurnMessage[]): string | undefined {
  const asked = messages.filter(({ role }) => role === 'assistant').length;
  if (asked >= MAX_MODEL_CALLS) {
    return `I stopped after ${MAX_MODEL_CALLS} steps without an end in sight. Say whether I should go on, or ask for a smaller part of it.`;
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

/** Equal for calls that mean the same, however the model spaced or ordered the arguments. */
function sameCallKey(call: ModelCall): string {
  const json = parseStrictJson(call.args);
  return JSON.stringify([call.tool, json.ok ? canonicalJson(json.value) : call.args]);
}
