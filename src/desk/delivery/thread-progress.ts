import type { Call } from '../../domain/calls/call.ts';
import { isHanded } from '../../domain/calls/call-origin.ts';
import type { ThreadStatus } from '../../domain/ports/chat.ts';
import { joinSentences, type Sentence, sentence } from '../../domain/text/sentence.ts';
import type { InboxMessage } from '../../domain/threads/message.ts';
import { parentCallOf, rootOf, type ThreadKey } from '../../domain/threads/thread-key.ts';
import type { DeskDeps } from '../deps.ts';
import { isForPeople, readOpenCalls, readWaiting, type Waiting } from '../turns/pending-work.ts';
import { createSayAwaited } from './describe-pending.ts';
import type { LiveAnswers } from './live-answer.ts';
import type { StatusLine } from './session-status.ts';

/** How a thread's work gets on, shown in the thread in which people talk. */
export interface Progress {
  thinking(message: InboxMessage): Promise<void>;
  waiting(thread: ThreadKey, waiting: Waiting): Promise<void>;
  /** Says that a call runs for which people were waited; it never holds up the run. */
  running(call: Call): void;
  /** Says how a thread stands in which people talk; a helper's says nothing. */
  note(thread: ThreadKey, text: string, session?: ThreadStatus['session']): void;
  /** The turn is over; `isAwaited` where somebody looks at it. */
  ended(thread: ThreadKey, isAwaited: boolean): void;
  /** Says again for what a thread waits, where it waits: a message of ours has wiped it away. */
  sayAgain(thread: ThreadKey): Promise<void>;
}

const THINKING = 'is thinking…';
const MAX_HELPERS = 5;

/** Creates the progress of the threads: a helper's is told from what is stored, so that any process says the same. */
export function createProgress(
  deps: Pick<DeskDeps, 'store' | 'directory' | 'log'>,
  status: StatusLine,
  live: Pick<LiveAnswers, 'isOpen'>,
): Progress {
  const { store, log } = deps;
  const sayAwaited = createSayAwaited(deps);

  function tell(thread: ThreadKey, told: ThreadStatus): void {
    status.set(thread, { ...told, isSeen: live.isOpen(thread) });
  }

  /** How a thread of people stands that waits for something; undefined for one that does not. */
  async function statusStored(root: ThreadKey): Promise<ThreadStatus | undefined> {
    const message = await store.inbox.current(root);
    const calls = message ? await readOpenCalls(store, root, message.id) : [];
    return calls.length > 0 ? await statusOf(await readWaiting(store, calls)) : undefined;
  }

  async function statusOf(waiting: Waiting): Promise<ThreadStatus> {
    const session = isForPeople(waiting) || isInDoubt(waiting) ? 'suspended' : 'processing';
    return { session, words: await sayWaiting(waiting) };
  }

  async function sayAgain(thread: ThreadKey): Promise<void> {
    const root = rootOf(thread);
    const stored = await statusStored(root);
    if (stored !== undefined) tell(root, { ...stored, isRepeat: true });
  }

  async function showWhileRunning(thread: ThreadKey, callId: string): Promise<void> {
    const root = rootOf(thread);
    const stored = await statusStored(root);
    if (stored === undefined) return;
    // What nobody waits for any more does not write over what came after it.
    const call = await store.ledger.get(callId);
    if (call?.status === 'running') tell(root, stored);
  }

  /** Its own state first, then each helper's: `has helpers at work · research is thinking…`. */
  async function sayWaiting(waiting: Waiting): Promise<Sentence> {
    const helpers = await sayHelpers(waiting);
    const shown = helpers.slice(0, MAX_HELPERS);
    const left = helpers.length - shown.length;
    const more = left > 0 ? [`and ${left} more`] : [];
    return joinSentences([await sayState(waiting), ...shown, ...more], ' · ');
  }

  async function sayHelpers({ helpers }: Waiting): Promise<readonly Sentence[]> {
    const all = helpers.map(async (helper) => [
      sentence`${helper.name} ${await sayState(helper)}`,
      ...(await sayHelpers(helper)),
    ]);
    return (await Promise.all(all)).flat();
  }

  async function sayState({ calls }: Waiting): Promise<Sentence> {
    if (calls.length === 0) return THINKING;
    const own = calls.filter(({ child }) => child === undefined);
    if (own.length === 0)
      return calls.length === 1 ? 'has a helper at work' : 'has helpers at work';
    return sayBusy(own) ?? (await sayAwaited(own));
  }

  return {
    sayAgain,
    async thinking({ thread, text }) {
      const parentCall = parentCallOf(thread);
      if (parentCall === undefined)
        tell(thread, { session: 'processing', words: THINKING, title: text });
      else await showWhileRunning(thread, parentCall);
    },
    async waiting(thread, waiting) {
      const parentCall = parentCallOf(thread);
      if (parentCall === undefined) tell(thread, await statusOf(waiting));
      else await showWhileRunning(thread, parentCall);
    },
    running({ thread, id }) {
      showWhileRunning(thread, id).catch((error: unknown) => {
        log.warn({ err: error, call: id }, 'The status line was not set.');
      });
    },
    note(thread, text, session = 'processing') {
      if (parentCallOf(thread) === undefined) tell(thread, { session, words: text });
    },
    ended(thread, isAwaited) {
      // A helper's end is told by whoever goes on from it.
      if (parentCallOf(thread) !== undefined) return;
      const over: ThreadStatus = { session: 'active', words: '' };
      if (isAwaited) status.set(thread, over);
      else status.setLater(thread, over);
    },
  };
}

/** Nothing goes on until a person says what happened to an interrupted call. */
function isInDoubt({ calls, helpers }: Waiting): boolean {
  const isUnknown = calls.some(({ status }) => status === 'unknown');
  return isUnknown && helpers.length === 0 && !calls.some(isAtWork);
}

function isAtWork({ status }: Call): boolean {
  return status === 'running' || status === 'approved';
}

/** What keeps a thread from waiting for people alone. */
function sayBusy(own: readonly Call[]): string | undefined {
  const running = own.filter((call) => isAtWork(call) && !isHanded(call));
  if (running.length > 0) return `is running ${running.map(({ tool }) => tool).join(', ')}…`;
  if (own.some(({ status }) => status === 'unknown')) {
    return 'waits until somebody says what happened to the interrupted call';
  }
  return undefined;
}
