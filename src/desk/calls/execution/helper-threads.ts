/** Helper threads: started by a call, ended with it; their result is the call's outcome. */

import { type Call, isTerminal } from '../../../domain/calls/call.ts';
import { behaviourOf } from '../../../domain/calls/call-origin.ts';
import type { Outcome, WithdrawalCause } from '../../../domain/calls/outcome.ts';
import { advanceTurnKey } from '../../../domain/ports/agenda.ts';
import type { Store } from '../../../domain/ports/store.ts';
import { recordRunEnd } from '../../../domain/rules/execution-rules.ts';
import { firstLine, type InboxMessage, type SettledTurn } from '../../../domain/threads/message.ts';
import {
  ancestorCallsOf,
  parentCallOf,
  placeOf,
  type ThreadKey,
} from '../../../domain/threads/thread-key.ts';
import type { DelegatedWork } from '../../../domain/tools/tool.ts';
import type { DeskDeps } from '../../deps.ts';
import { advanceByStep } from '../advance-call.ts';
import { shortenResult } from './run-tool.ts';

export interface HelperThreads {
  /** Starts a claimed call's work in its child thread; idempotent. */
  begin(call: Call, child: ThreadKey, delegation: DelegatedWork): Promise<void>;
  /**
   * Why a child thread must end: one of its parent calls has ended. Undefined while it may
   * continue, and for other threads.
   */
  endedBy(thread: ThreadKey): Promise<WithdrawalCause | undefined>;
  /**
   * Records the result of a helper's turn as the outcome of its parent call; idempotent, and does
   * nothing for other threads.
   */
  report(message: InboxMessage): Promise<void>;
}

/** Creates the helper threads over the stored calls and messages. */
export function createHelperThreads({
  store,
  clock,
}: Pick<DeskDeps, 'store' | 'clock'>): HelperThreads {
  async function begin(call: Call, child: ThreadKey, delegation: DelegatedWork): Promise<void> {
    const now = clock.now();
    const { agent, prompt } = delegation;
    const message: InboxMessage = {
      id: call.id,
      thread: child,
      author: call.requester,
      ts: placeOf(child).root,
      text: prompt,
      receivedAt: now,
      delegated: { agent, askedLine: call.askedLine, work: workOf(call, prompt) },
    };
    const audit = {
      at: now,
      event: 'helper.begin',
      subject: call.id,
      actor: 'countersign',
      detail: { agent, thread: child },
    };
    const wakes = [{ key: advanceTurnKey(child), dueAt: now }];
    await store.inbox.receive(message, { audit: [audit], wakes });
  }

  async function endedBy(thread: ThreadKey): Promise<WithdrawalCause | undefined> {
    for (const id of ancestorCallsOf(thread)) {
      const call = await store.ledger.get(id);
      if (call && !isTerminal(call)) continue;
      return call?.outcome?.kind === 'withdrawn' ? call.outcome.cause : 'turn-ended';
    }
    return undefined;
  }

  async function report(message: InboxMessage): Promise<void> {
    const callId = parentCallOf(message.thread);
    if (callId === undefined) return;
    await advanceByStep({ store }, callId, async (call) => {
      const isOpen = call.status === 'running' && call.child === message.thread;
      return isOpen ? recordRunEnd(call, await endOf(store, message), clock.now()) : undefined;
    });
  }

  return { begin, endedBy, report };
}

/** Read from the store, so that every worker reports the same. */
async function endOf(
  store: Pick<Store, 'history' | 'ledger'>,
  message: InboxMessage,
): Promise<Extract<Outcome, { kind: 'result' | 'error' }>> {
  const [newest] = await store.history.newest(message.thread, 1, 0);
  const turn = newest?.id === message.id ? newest : undefined;
  const last = turn?.messages.at(-1);
  if (turn && turn.failure === undefined && last?.role === 'assistant') {
    return { kind: 'result', text: shortenResult(last.text) };
  }
  const why = turn?.failure ?? (await explainEnded(store, message));
  const text = `The helper ended without a final answer: ${why}${lastAnswerOf(turn)}`;
  return { kind: 'error', text: shortenResult(text) };
}

async function explainEnded(
  { ledger }: Pick<Store, 'ledger'>,
  message: InboxMessage,
): Promise<string> {
  const calls = await ledger.ofThread(message.thread, message.id);
  const ignored = calls.find(
    (call) => call.status === 'ignored' && behaviourOf(call).partOf === 'message',
  );
  return ignored
    ? `a person ignored its call of ${ignored.tool}. Do not try that again unless asked.`
    : 'its work was withdrawn.';
}

function workOf({ position, siblings }: Call, prompt: string) {
  return { line: firstLine(prompt), position, siblings };
}

function lastAnswerOf(turn: SettledTurn | undefined): string {
  const last = turn?.messages.findLast(
    ({ role, text }) => role === 'assistant' && text.trim() !== '',
  );
  return last ? `\nIts last message before that: ${last.text}` : '';
}
