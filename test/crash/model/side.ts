/** One store with its world and its model; every action of people is done to both. */
import assert from 'node:assert/strict';
import type { Call } from '../../../src/domain/calls/call.ts';
import { shortDigest } from '../../../src/domain/calls/digest.ts';
import { threadKey } from '../../../src/domain/threads/thread-key.ts';
import type { LabBackend } from '../lab/lab-backend.ts';
import { type LabWorld, openWorld } from '../lab/lab-world.ts';
import { Expectation } from './expectation.ts';
import { attemptOf } from './expected-call.ts';

/** What somebody wanted to run: an attempt, with the arguments that they saw or wrote. */
interface Wish {
  readonly attempt: string;
  readonly by: string;
}

/** What the card of a person may still show of an attempt. */
export interface Token {
  readonly attempt: number;
  readonly digest: string;
}

export interface Side {
  readonly world: LabWorld;
  readonly expected: Expectation;
  readonly wishes: Wish[];
  /** The edited arguments, by attempt. */
  readonly edits: Map<string, string>;
  /** Every attempt of a call that was ever stored, by its key. */
  readonly tokens: Map<string, Token[]>;
  /** Clicks that got a change or a refusal as response. */
  readonly answers: { readonly key: string; readonly by: string; readonly kind: string }[];
  /** How often a call was changed directly in the store. */
  readonly tampered: Map<string, number>;
  /** Irrevocable calls that suspended workers were about to make: to tools and to Slack. */
  readonly excused: Set<string>;
  /** Faults that hit something, in order. */
  readonly faults: string[];
  messages: number;
}

export const TEAM = 'T1';
const ROOTS = ['1700000000.000100', '1700000001.000100'] as const;

/** The threads of the model-based tests. */
export const THREADS = ROOTS.map((ts) => threadKey({ team: TEAM, channel: 'C1', ts }));

/** Opens a side on an empty store. */
export async function openSide(backend: LabBackend): Promise<Side> {
  const world = await openWorld(backend);
  return {
    world,
    expected: new Expectation(world.clock.now()),
    wishes: [],
    edits: new Map(),
    tokens: new Map(),
    answers: [],
    tampered: new Map(),
    excused: new Set(),
    faults: [],
    messages: 0,
  };
}

/** Gives a call the same name on every store. */
export function keyOf({ messageId, toolCallId }: Call): string {
  return `${withoutNumber(messageId)}/${toolCallId}`;
}

/** Removes the number that makes ids of model answers unique. */
export function withoutNumber(text: string): string {
  return text.replaceAll(/~\d+/g, '');
}

/** Reads all calls, thread after thread. */
export async function readCalls({ world }: Side): Promise<readonly Call[]> {
  const { ledger } = world.store();
  return (await Promise.all(THREADS.map((thread) => ledger.ofThread(thread)))).flat();
}

/** Compares the store with the model; adopts the times, which the model leaves to the desk. */
export async function compare(side: Side): Promise<void> {
  const { expected, world } = side;
  const calls = await readCalls(side);
  for (const call of calls) noteToken(side, call);
  compareEffects(side, calls);
  assert.deepEqual(calls.map(showCall).sort(byKey), expected.calls.map(showExpected).sort(byKey));
  for (const [index, thread] of THREADS.entries()) {
    const { inbox } = world.store();
    const messages = expected.messages.filter((message) => message.thread === index);
    const ids = (state: string) =>
      messages.filter((message) => message.state === state).map(({ id }) => id);
    const [current, waiting] = await Promise.all([inbox.current(thread), inbox.waiting(thread)]);
    const found = { current: current ? [current.id] : [], waiting: waiting.map(({ id }) => id) };
    assert.deepEqual(found, { current: ids('current'), waiting: ids('waiting') });
  }
  for (const call of calls) adoptTimes(expected, call);
}

function showCall(call: Call) {
  return {
    key: keyOf(call),
    status: call.status,
    attempt: call.attempt,
    outcome: call.outcome?.kind,
    votes: call.votes.map(({ by }) => by.user).sort(),
    args: call.args,
    requester: call.requester.user,
    isAsked: call.route !== undefined,
  };
}

function showExpected(call: Expectation['calls'][number]) {
  const { key, status, attempt, outcome, votes, note, requester, isAsked } = call;
  const args = JSON.stringify({ note });
  return { key, status, attempt, outcome, votes: votes.toSorted(), args, requester, isAsked };
}

function byKey(a: { readonly key: string }, b: { readonly key: string }): number {
  return a.key < b.key ? -1 : 1;
}

function noteToken({ tokens }: Side, call: Call): void {
  const key = keyOf(call);
  const known = tokens.get(key) ?? [];
  if (known.at(-1)?.attempt === call.attempt) return;
  tokens.set(key, [...known, { attempt: call.attempt, digest: shortDigest(call.digest) }]);
}

/** Counts how often each attempt has taken effect. */
export function countEffects({ world }: Side, calls: readonly Call[]): ReadonlyMap<string, number> {
  const keys = new Map(calls.map((call) => [call.id, keyOf(call)]));
  const counts = new Map<string, number>();
  for (const { callId, attempt } of world.tools.effects) {
    const name = attemptOf({ key: keys.get(callId) ?? callId, attempt });
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

/** I2: nothing took effect more often than allowed, and everything required did. */
function compareEffects(side: Side, calls: readonly Call[]): void {
  const { expected } = side;
  const counts = countEffects(side, calls);
  for (const name of new Set([...counts.keys(), ...expected.effects.keys()])) {
    const { min, max } = expected.effects.get(name) ?? { min: 0, max: 0 };
    const count = counts.get(name) ?? 0;
    const isRight = min <= count && count <= max;
    assert.ok(isRight, `I2: ${name} took effect ${count} times, and not ${min} to ${max}`);
  }
}

function adoptTimes(expected: Expectation, call: Call): void {
  const its = expected.calls.find(({ key }) => key === keyOf(call));
  if (!its) return;
  its.deadlineAt = call.deadlineAt;
  if (its.runsSince !== undefined && call.claim) its.runsSince = call.claim.at;
}
