import type { Call } from '../../domain/calls/call.ts';
import type { ThreadStatus } from '../../domain/ports/chat.ts';
import type { InboxMessage } from '../../domain/threads/message.ts';
import { parentCallOf, rootOf, type ThreadKey } from '../../domain/threads/thread-key.ts';
import {
  type PendingWork,
  readOpenCalls,
  readPendingWork,
  waitsForPeopleOnly,
} from '../calls/pending-work.ts';
import type { DeskDeps } from '../deps.ts';
import { createDescribeWaiting, isAtWork, THINKING } from './describe-waiting.ts';
import type { LiveAnswers } from './live-answer.ts';
import type { SessionStatusWriter } from './session-status.ts';

/** Progress of a thread's work, shown in the thread in which people talk. */
export interface ThreadProgress {
  thinking(message: InboxMessage): Promise<void>;
  waiting(thread: ThreadKey, waiting: PendingWork): Promise<void>;
  /** Shows that a call runs after waiting for people; never delays the run. */
  running(call: Call): void;
  /** Sets the status of a thread with people; does nothing for a helper thread. */
  note(thread: ThreadKey, text: string, session?: ThreadStatus['session']): void;
  /** The turn is over; `isAwaited` if somebody is watching. */
  ended(thread: ThreadKey, isAwaited: boolean): void;
  /** Sets a waiting thread's status again, because one of our messages has cleared it. */
  refresh(thread: ThreadKey): Promise<void>;
}

/**
 * Creates the progress of threads. A helper's progress is read from the store, so that every
 * process shows the same.
 */
export function createThreadProgress(
  deps: Pick<DeskDeps, 'store' | 'directory' | 'log'>,
  status: SessionStatusWriter,
  live: Pick<LiveAnswers, 'isOpen'>,
): ThreadProgress {
  const { store, log } = deps;
  const describeWaiting = createDescribeWaiting(deps);

  function publishStatus(thread: ThreadKey, shown: ThreadStatus): void {
    status.set(thread, { ...shown, isSeen: live.isOpen(thread) });
  }

  async function republishStatus(thread: ThreadKey): Promise<void> {
    const root = rootOf(thread);
    const stored = await readStatus(store, describeWaiting, root);
    if (stored !== undefined) publishStatus(root, { ...stored, isRepeat: true });
  }

  async function showWhileRunning(thread: ThreadKey, callId: string): Promise<void> {
    const root = rootOf(thread);
    const stored = await readStatus(store, describeWaiting, root);
    if (stored === undefined) return;
    // An outdated update must not overwrite a newer status.
    const call = await store.ledger.get(callId);
    if (call?.status === 'running') publishStatus(root, stored);
  }

  return {
    refresh: republishStatus,
    async thinking({ thread, text }) {
      const parentCall = parentCallOf(thread);
      if (parentCall === undefined)
        publishStatus(thread, { session: 'processing', words: THINKING, title: text });
      else await showWhileRunning(thread, parentCall);
    },
    async waiting(thread, waiting) {
      const parentCall = parentCallOf(thread);
      if (parentCall === undefined) publishStatus(thread, await statusOf(describeWaiting, waiting));
      else await showWhileRunning(thread, parentCall);
    },
    running({ thread, id }) {
      showWhileRunning(thread, id).catch((error: unknown) => {
        log.warn({ err: error, call: id }, 'Could not set the status line.');
      });
    },
    note(thread, text, session = 'processing') {
      if (parentCallOf(thread) === undefined) publishStatus(thread, { session, words: text });
    },
    ended(thread, isAwaited) {
      // The parent thread's next status covers a helper's end.
      if (parentCallOf(thread) !== undefined) return;
      const over: ThreadStatus = { session: 'active', words: '' };
      if (isAwaited) status.set(thread, over);
      else status.setLater(thread, over);
    },
  };
}

type DescribeWaiting = ReturnType<typeof createDescribeWaiting>;

/** The status of a waiting thread with people; undefined if it waits for nothing. */
async function readStatus(
  store: DeskDeps['store'],
  describeWaiting: DescribeWaiting,
  root: ThreadKey,
): Promise<ThreadStatus | undefined> {
  const message = await store.inbox.current(root);
  const calls = message ? await readOpenCalls(store, root, message.id) : [];
  return calls.length > 0
    ? await statusOf(describeWaiting, await readPendingWork(store, calls))
    : undefined;
}

async function statusOf(
  describeWaiting: DescribeWaiting,
  waiting: PendingWork,
): Promise<ThreadStatus> {
  const session =
    waitsForPeopleOnly(waiting) || hasUnknownCall(waiting) ? 'suspended' : 'processing';
  return { session, words: await describeWaiting(waiting) };
}

/** True if the thread is blocked until a person says what happened to an interrupted call. */
function hasUnknownCall({ calls, helpers }: PendingWork): boolean {
  const isUnknown = calls.some(({ status }) => status === 'unknown');
  return isUnknown && helpers.length === 0 && !calls.some(isAtWork);
}
