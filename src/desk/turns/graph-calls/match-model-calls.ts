import type { Call } from '../../../domain/calls/call.ts';
import { canonicalJson } from '../../../domain/json/json.ts';
import { parseStrictJson } from '../../../domain/json/strict-json.ts';
import type { ModelCall, TurnMessage } from '../../../domain/threads/message.ts';

/**
 * Maps a graph's stored calls to the ids that the answers to them have in the graph's messages.
 * Interrupts do not name their call, so calls with the same tool and arguments are paired in order.
 */
export function matchModelCalls(
  calls: readonly Call[],
  messages: readonly TurnMessage[],
): ReadonlyMap<string, string> {
  return new Map([...groupAlike(calls)].flatMap((alike) => pairInOrder(alike, messages)));
}

type Alike = readonly [Call, ...Call[]];

function groupAlike(calls: readonly Call[]): Iterable<Alike> {
  const groups = new Map<string, [Call, ...Call[]]>();
  for (const call of calls) {
    const key = JSON.stringify([call.messageId, call.tool, call.args, call.proposedArgs]);
    const group = groups.get(key);
    if (group) group.push(call);
    else groups.set(key, [call]);
  }
  return groups.values();
}

function pairInOrder(
  alike: Alike,
  messages: readonly TurnMessage[],
): readonly (readonly [callId: string, answerId: string])[] {
  const [first] = alike;
  const asker = messages.find(({ id, role }) => role === 'assistant' && id === first.messageId);
  if (asker?.role !== 'assistant') return [];
  const made = asker.calls.filter((each) => mayBeCall(first, each));
  // A rejected call may be missing from the message or have another name there.
  const there = made.length < alike.length ? alike.filter(({ claim }) => claim) : alike;
  return there.flatMap(({ id }, i) => {
    const pair = made[i];
    return pair ? [[id, `${asker.id}/${pair.id}`] as const] : [];
  });
}

function mayBeCall(call: Call, made: ModelCall): boolean {
  const json = parseStrictJson(made.args);
  if (made.tool !== call.tool || !json.ok) return false;
  const args = canonicalJson(json.value);
  return args === call.args || args === call.proposedArgs;
}
