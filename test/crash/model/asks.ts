/** Requests of people to a desk, and their expected results. */

import type { Desk } from '../../../src/desk/desk.ts';
import { LATE_MESSAGE_MS } from '../../../src/desk/turns/messages/message-order.ts';
import type { Call } from '../../../src/domain/calls/call.ts';
import type { DecisionCommand } from '../../../src/domain/calls/decision.ts';
import { messageId } from '../../../src/domain/threads/message.ts';
import { placeOf } from '../../../src/domain/threads/thread-key.ts';
import type { ToolMode } from '../lab/lab-tools.ts';
import { attemptOf, type ClickKind, type ExpectedCall, type Finding } from './expected-call.ts';
import { expectClick, expectFinding, expectStop } from './expected-decisions.ts';
import { keyOf, readCalls, type Side, TEAM, THREADS, type Token } from './side.ts';

export type Action =
  | { readonly kind: 'say'; readonly thread: number; readonly by: string; readonly text: string }
  | {
      readonly kind: 'click';
      readonly call: string;
      readonly click: ClickKind;
      readonly by: string;
      readonly shown: 'first' | 'newest';
    }
  | {
      readonly kind: 'find';
      readonly call: string;
      readonly finding: Finding;
      readonly by: string;
      readonly shown: 'first' | 'newest';
    }
  | { readonly kind: 'stop'; readonly thread: number; readonly by: string }
  | { readonly kind: 'pause' | 'resume' | 'crash' | 'thaw' | 'lose' }
  | { readonly kind: 'mode'; readonly mode: ToolMode }
  | { readonly kind: 'release'; readonly ends: 'well' | 'badly' }
  | { readonly kind: 'pass'; readonly ms: number }
  /** No worker runs for that long, and a message arrives before one does. */
  | { readonly kind: 'sleep'; readonly ms: number; readonly thread: number; readonly by: string }
  | { readonly kind: 'tamper'; readonly call: string; readonly to: 'pending' | 'approved' };

/** One request of a person to the desk, and the response that the model expects. */
export interface Ask {
  readonly ask: (desk: Desk) => Promise<{ readonly kind: string } | string>;
  readonly expect: () => string;
  /** Whether a person who got no response may repeat it, with the same meaning. */
  readonly isRepeatable: boolean;
  readonly note?: (answer: string) => void;
}

/** Finds a call by its name. */
export async function findCall(side: Side, key: string): Promise<Call | undefined> {
  return (await readCalls(side)).find((call) => keyOf(call) === key);
}

/** Makes the requests of people; undefined if they are impossible. */
export function toAsk(side: Side, action: Action): Ask | undefined {
  switch (action.kind) {
    case 'say':
      return toSay(side, action);
    case 'click':
      return toClick(side, action);
    case 'find':
      return toFind(side, action);
    case 'stop':
      return toStop(side, action);
    case 'pause':
    case 'resume':
      return toSwitch(side, action.kind);
    case 'release':
      return toRelease(side, action.ends);
    default:
      return undefined;
  }
}

function toSay(side: Side, { thread: index, by, text }: Extract<Action, { kind: 'say' }>): Ask {
  const { expected, world } = side;
  const thread = THREADS[index] ?? THREADS[0];
  if (!thread) throw new Error('There is no thread.');
  side.messages += 1;
  const { team, channel, root } = placeOf(thread);
  const isFirst = !expected.messages.some((message) => message.thread === index);
  const ts = isFirst ? root : `17000001${String(side.messages).padStart(2, '0')}.000100`;
  const id = messageId({ team, channel, ts });
  const author = { team: TEAM, user: by };
  return {
    isRepeatable: true,
    ask: (desk) => {
      // No earlier message can follow any more: the model orders messages by arrival.
      const receivedAt = world.clock.now() - LATE_MESSAGE_MS;
      return desk.receive({ id, thread, author, ts, text, receivedAt });
    },
    expect() {
      const known = expected.messages.some((message) => message.id === id);
      expected.receive(id, index, by, text);
      return known ? 'known' : 'new';
    },
  };
}

/** The attempt that the person sees, and whether it is the newest. */
function toShown(
  side: Side,
  its: ExpectedCall,
  shown: 'first' | 'newest',
): readonly [Token, boolean] {
  const all = side.tokens.get(its.key) ?? [];
  const token = shown === 'first' ? all.at(0) : all.at(-1);
  if (!token) throw new Error(`Nobody has seen ${its.key}.`);
  return [token, token.attempt === its.attempt];
}

function expectedCall({ expected }: Side, key: string): ExpectedCall | undefined {
  return expected.calls.find((call) => call.key === key);
}

function toClick(side: Side, action: Extract<Action, { kind: 'click' }>): Ask | undefined {
  const its = expectedCall(side, action.call);
  if (!its) return undefined;
  const [{ attempt, digest }, isCurrent] = toShown(side, its, action.shown);
  const note = `edit ${its.attempt}`;
  const decision = toDecision(action.click, note);
  const made = action.click === 'edit' ? attempt + 1 : attempt;
  const wish = attemptOf({ key: its.key, attempt: made });
  const isWish = action.click === 'approve' || action.click === 'edit';
  const by = { team: TEAM, user: action.by };
  return {
    isRepeatable: true,
    ask: async (desk) => {
      const callId = (await findCall(side, its.key))?.id ?? '';
      return await desk.decide({ callId, attempt, digest, by, decision });
    },
    expect() {
      const answer = expectClick(
        its,
        { what: action.click, by: action.by, isCurrent: attempt === its.attempt && isCurrent },
        side.expected.isPaused,
        note,
      );
      if (isWish && tookEffect(answer)) {
        side.wishes.push({ attempt: wish, by: action.by });
        if (action.click === 'edit') side.edits.set(wish, note);
      }
      return answer;
    },
    note: (kind) => side.answers.push({ key: its.key, by: action.by, kind }),
  };
}

/** Whether a press took effect: a refused one is no approval and gives no new arguments. */
function tookEffect(answer: string): boolean {
  return answer === 'decided' || answer === 'recorded';
}

function toDecision(kind: ClickKind, note: string): DecisionCommand['decision'] {
  switch (kind) {
    case 'edit':
      return { kind, args: { note } };
    case 'reply':
      return { kind, text: 'Do it otherwise.' };
    default:
      return { kind };
  }
}

function toFind(side: Side, action: Extract<Action, { kind: 'find' }>): Ask | undefined {
  const its = expectedCall(side, action.call);
  if (!its) return undefined;
  const [{ attempt, digest }] = toShown(side, its, action.shown);
  const wish = attemptOf({ key: its.key, attempt: attempt + 1 });
  const by = { team: TEAM, user: action.by };
  const { finding } = action;
  return {
    isRepeatable: true,
    ask: async (desk) => {
      const callId = (await findCall(side, its.key))?.id ?? '';
      return await desk.settle({ callId, attempt, digest, by, finding });
    },
    expect() {
      const answer = expectFinding(
        its,
        { what: finding, by: action.by, isCurrent: attempt === its.attempt },
        side.expected.isPaused,
        side.expected.now,
      );
      if (finding === 'rerun' && tookEffect(answer)) {
        side.wishes.push({ attempt: wish, by: action.by });
      }
      return answer;
    },
    note: (kind) => side.answers.push({ key: its.key, by: action.by, kind }),
  };
}

function toStop(side: Side, { thread, by }: Extract<Action, { kind: 'stop' }>): Ask | undefined {
  const message = side.expected.messages.findLast(
    (each) => each.thread === thread && each.state === 'current',
  );
  if (!message) return undefined;
  return {
    isRepeatable: false,
    ask: (desk) => desk.stop({ turn: message.id, by: { team: TEAM, user: by } }),
    expect: () => expectStop(message, by),
  };
}

function toSwitch({ expected }: Side, kind: 'pause' | 'resume'): Ask {
  const by = { team: TEAM, user: 'U7' };
  return {
    isRepeatable: false,
    ask: (desk) => desk[kind](by),
    expect() {
      const was = expected.isPaused;
      if (kind === 'resume') {
        if (was) expected.resume();
        return was ? 'resumed' : 'not-paused';
      }
      expected.isPaused = true;
      return was ? 'already-paused' : 'paused';
    },
  };
}

function toRelease({ expected, world }: Side, ends: 'well' | 'badly'): Ask {
  return {
    isRepeatable: false,
    ask: async () => {
      for (const letGo of world.tools.held.splice(0)) letGo(ends);
      return 'released';
    },
    expect() {
      expected.release(ends);
      return 'released';
    },
  };
}
