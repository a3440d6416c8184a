import type { ThreadFence } from '../domain/agenda.ts';
import type { OpenCall } from '../domain/agent.ts';
import type { Call } from '../domain/call.ts';
import { editOf } from '../domain/call-edit.ts';
import { withdraw } from '../domain/decide.ts';
import type { InboxMessage } from '../domain/message.ts';
import { type ToolReply, toToolReply } from '../domain/outcome.ts';
import type { DeskDeps } from './deps.ts';
import { effectsOf } from './effects.ts';
import type { createPropose, Proposal } from './propose.ts';

/** The calls that a graph waits for, each with what the ledger holds of it. */
export interface OpenCalls {
  /** Those that are in the ledger. */
  readonly calls: readonly Call[];
  /** Answers that are there, by interrupt id. */
  readonly replies: Readonly<Record<string, ToolReply>>;
  /** Ids of the calls whose outcome is among the replies. */
  readonly answered: readonly string[];
}

/** Builds the reader of a thread's open calls: proposes the new ones, and takes back what waits beside an ignored one. */
export function createReadOpenCalls(deps: DeskDeps, propose: ReturnType<typeof createPropose>) {
  const { store, clock } = deps;

  async function proposeAll(
    message: InboxMessage,
    open: readonly OpenCall[],
    fence: ThreadFence,
  ): Promise<ReadonlyMap<OpenCall, Proposal>> {
    const known = await store.ledger.ofThread(fence.thread, message.id);
    const proposals = new Map<OpenCall, Proposal>();
    for (const each of open) {
      const stored = known.find(
        (call) => call.messageId === each.messageId && call.toolCallId === each.toolCallId,
      );
      proposals.set(each, await propose(each, message, stored, fence));
    }
    return proposals;
  }

  /** An ignored call ends the turn, so its pending siblings can have no decision any more, and its helpers nobody to work for. */
  async function withdrawSiblings(calls: readonly Call[]): Promise<boolean> {
    const ends = calls.some(({ status }) => status === 'ignored');
    const waiting = ends ? calls.filter(isWaiting) : [];
    for (const call of waiting) {
      const step = withdraw(call, 'ignored-sibling', clock.now());
      if (step) await store.ledger.write(call, [step], effectsOf(call, [step], undefined));
    }
    return waiting.length > 0;
  }

  return async function readOpenCalls(
    message: InboxMessage,
    open: readonly OpenCall[],
    fence: ThreadFence,
  ): Promise<OpenCalls> {
    for (;;) {
      const found = sum(await proposeAll(message, open, fence));
      if (!(await withdrawSiblings(found.calls))) return found;
    }
  };
}

function isWaiting({ status, child }: Call): boolean {
  return status === 'pending' || (status === 'running' && child !== undefined);
}

function sum(proposals: ReadonlyMap<OpenCall, Proposal>): OpenCalls {
  const calls: Call[] = [];
  const answered: string[] = [];
  const replies: Record<string, ToolReply> = {};
  for (const [{ interruptId }, proposal] of proposals) {
    if (proposal.kind === 'rejected') {
      replies[interruptId] = proposal.reply;
      continue;
    }
    const { call } = proposal;
    calls.push(call);
    if (!call.outcome) continue;
    replies[interruptId] = toToolReply(call.outcome, editOf(call), call.votes);
    answered.push(call.id);
  }
  return { calls, replies, answered };
}
