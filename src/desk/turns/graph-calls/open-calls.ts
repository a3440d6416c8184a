import type { Call } from '../../../domain/calls/call.ts';
import { callEditOf } from '../../../domain/calls/call-edit.ts';
import { behaviourOf } from '../../../domain/calls/call-origin.ts';
import { type ToolReply, toToolReply } from '../../../domain/calls/outcome.ts';
import { isIntact } from '../../../domain/calls/seal.ts';
import { groupIntoCards, mayShareCard } from '../../../domain/cards/shared-card.ts';
import { renderCardKey, type ThreadFence } from '../../../domain/ports/agenda.ts';
import type { GraphState, OpenCall } from '../../../domain/ports/agent.ts';
import type { Effects } from '../../../domain/ports/store.ts';
import { stopForgedCall, withdrawCall } from '../../../domain/rules/end-rules.ts';
import type { InboxMessage } from '../../../domain/threads/message.ts';
import type { TurnRecord } from '../../../domain/threads/turn-record.ts';
import { commitSteps } from '../../calls/advance-call.ts';
import { dueImmediately, isRecentCall } from '../../calls/freshness.ts';
import type { CheckedCall, createPropose, Proposal } from '../../calls/propose.ts';
import type { DeskDeps, HeldWork } from '../../deps.ts';
import type { ActiveTurn } from '../recover-turn.ts';
import { missingTurnRecords, toToolMessage } from '../turn-records.ts';
import { toGraphReply } from './graph-reply.ts';
import { matchOpenCalls } from './match-open-calls.ts';
import { createRecheckGraphCalls } from './recheck-graph-calls.ts';

/** The calls that a graph waits for, with the stored calls. */
export interface OpenCalls {
  /** Those that are stored. */
  readonly calls: readonly Call[];
  /** The replies of complete batches, by interrupt id. */
  readonly replies: Readonly<Record<string, ToolReply>>;
  /** Ids of the calls that these replies answer, mapped to interrupt ids. */
  readonly answered: ReadonlyMap<string, string>;
  /** Whether the graph can continue now. */
  readonly isDue: boolean;
}

/**
 * Builds the reader of a thread's open calls: proposes new ones, and withdraws the siblings of an
 * ignored one.
 */
export function createReadOpenCalls(deps: DeskDeps, propose: ReturnType<typeof createPropose>) {
  const { store } = deps;
  const recheckGraphCalls = createRecheckGraphCalls(deps);

  async function proposeAll(
    message: InboxMessage,
    state: GraphState,
    turn: ActiveTurn,
    fence: ThreadFence,
  ): Promise<ReadonlyMap<OpenCall, Proposal>> {
    const calls = await store.ledger.ofThread(fence.thread, message.id);
    const all = matchOpenCalls(state.open, calls).map(({ open, stored }) => {
      return { open, checked: propose.check(open, message, stored) };
    });
    const rejected = all.flatMap(({ open, checked }) =>
      checked.kind === 'rejected' ? [toToolMessage(open, checked.reply)] : [],
    );
    const known = { records: turn.records, calls };
    // The turn of a foreign graph can't be rebuilt, so it needs no records.
    let due = deps.agent.rebuild ? missingTurnRecords(message, state, rejected, known) : [];
    const proposals = new Map<OpenCall, Proposal>();
    const last = all.findLast(isNew);
    for (const { open, checked } of all) {
      // The checkpoint goes with the last new call; after a crash before it, the turn is rebuilt
      // from its records.
      const checkpoint = checked === last?.checked ? await snapshot(deps, fence) : undefined;
      const turnEffects = { turnRecords: due, checkpoint };
      proposals.set(open, await propose.put(checked, open, message, turnEffects, fence));
      // The records were written with the call.
      if (isNew({ checked })) due = addRecords(turn, due);
    }
    if (due.length > 0) await store.turnRecords.keep(due, fence);
    addRecords(turn, due);
    return proposals;
  }

  return async function readOpenCalls(
    message: InboxMessage,
    state: GraphState,
    turn: ActiveTurn,
    fence: ThreadFence,
    work: Pick<HeldWork, 'tries'>,
  ): Promise<OpenCalls> {
    for (;;) {
      const found = collectReplies(await proposeAll(message, state, turn, fence));
      if (await stopForged(deps, found.calls)) continue;
      if (await withdrawSiblings(deps, found.calls)) continue;
      await showCards(deps, found.calls);
      const due = found.calls.filter(({ id }) => found.answered.has(id));
      if (!(await recheckGraphCalls(due, work))) return found;
    }
  };
}

async function snapshot({ agent }: DeskDeps, fence: ThreadFence): Promise<Effects['checkpoint']> {
  const state = await agent.snapshot?.(fence);
  return state === undefined ? undefined : { thread: fence.thread, state };
}

/** Verifies older claims before they are handed over: the graph cannot check them. */
async function stopForged(deps: DeskDeps, calls: readonly Call[]): Promise<boolean> {
  const forged = calls.filter(
    (call) => behaviourOf(call).runBy === 'graph' && call.status === 'running' && !isIntact(call),
  );
  for (const call of forged) {
    const step = stopForgedCall(call, deps.clock.now());
    await commitSteps(deps, call, [step]);
  }
  return forged.length > 0;
}

/**
 * An ignored call ends the turn, except in foreign graphs. So its pending siblings and helper
 * calls are withdrawn.
 */
async function withdrawSiblings(
  { store, clock }: DeskDeps,
  calls: readonly Call[],
): Promise<boolean> {
  const ends = calls.some(
    (call) => call.status === 'ignored' && behaviourOf(call).runBy !== 'graph',
  );
  const waiting = ends ? calls.filter(isWaiting) : [];
  for (const call of waiting) {
    const step = withdrawCall(call, 'ignored-sibling', clock.now());
    if (step) await commitSteps({ store }, call, [step]);
  }
  return waiting.length > 0;
}

/**
 * Shows the cards of pending calls once all calls of the message are stored, so that calls can
 * share a card.
 */
async function showCards({ store, clock }: DeskDeps, calls: readonly Call[]): Promise<void> {
  for (const card of groupIntoCards(calls.filter(mayShareCard))) {
    const waiting = card.find(({ status }) => status === 'pending');
    if (!waiting || (await store.ledger.cardOf(waiting.id))) continue;
    const now = clock.now();
    const dueAt = dueImmediately(isRecentCall(waiting, now), now);
    await store.agenda.wake([{ key: renderCardKey(card[0]), dueAt }]);
  }
}

/** True if the call must be inserted now. */
function isNew({ checked }: { readonly checked: CheckedCall }): boolean {
  return checked.kind === 'fit' && !checked.stored;
}

/** Adds the written records to the turn; returns the empty rest. */
function addRecords(turn: ActiveTurn, due: readonly TurnRecord[]): readonly TurnRecord[] {
  turn.records.push(...due);
  return [];
}

function isWaiting({ status, child }: Call): boolean {
  return status === 'pending' || (status === 'running' && child !== undefined);
}

function collectReplies(proposals: ReadonlyMap<OpenCall, Proposal>): OpenCalls {
  const calls: Call[] = [];
  const answers = new Map<OpenCall, { readonly reply: ToolReply; readonly call?: Call }>();
  for (const [open, proposal] of proposals) {
    if (proposal.kind === 'rejected') {
      answers.set(open, { reply: proposal.reply });
      continue;
    }
    const { call } = proposal;
    calls.push(call);
    const reply = replyTo(call);
    if (reply) answers.set(open, { reply, call });
  }
  const waiting = new Set([...proposals.keys()].filter((open) => !answers.has(open)).map(batchOf));
  const due = [...answers].filter(([open]) => !waiting.has(batchOf(open)));
  return {
    calls,
    replies: Object.fromEntries(due.map(([{ interruptId }, { reply }]) => [interruptId, reply])),
    answered: new Map(
      due.flatMap(([{ interruptId }, { call }]) => (call ? [[call.id, interruptId] as const] : [])),
    ),
    isDue: due.length > 0 || proposals.size === 0,
  };
}

function batchOf({ batch }: OpenCall): string | undefined {
  return batch;
}

/** The reply to the graph for a call; undefined while it is open. */
function replyTo(call: Call): ToolReply | undefined {
  if (behaviourOf(call).runBy === 'graph') return toGraphReply(call);
  return call.outcome && toToolReply(call.outcome, callEditOf(call), call.votes);
}
