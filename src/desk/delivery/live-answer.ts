/**
 * The live message of a turn: shows the agent's text and tools as they come. Best effort; nothing
 * waits for it. The outbox stores its place, so that after a crash the next answer replaces it or
 * it is removed.
 */
import type { Call, CardPlace } from '../../domain/calls/call.ts';
import {
  type Chat,
  ChatError,
  type LiveMessage,
  type LiveTask,
  uncertainLivePlace,
} from '../../domain/ports/chat.ts';
import type { Cancel, Clock } from '../../domain/ports/clock.ts';
import type { Log } from '../../domain/ports/log.ts';
import type { Inbox, Outbox } from '../../domain/ports/store.ts';
import type { InboxMessage } from '../../domain/threads/message.ts';
import { depthOf, type ThreadKey } from '../../domain/threads/thread-key.ts';
import { noteThinking, toLiveTask } from './live-tasks.ts';
import { endsLiveAnswer } from './turn-outbox.ts';

/** What people have seen of a turn before it was posted. */
export interface ShownAnswer {
  readonly place: CardPlace;
  /** The agent's text in it; empty if another process wrote it. */
  readonly text: string;
}

/** The live messages of threads with people; helper threads have none. */
export interface LiveAnswers {
  /** The model is called, or called again: discards the text of this step so far. */
  begin(message: InboxMessage): void;
  /** Adds text from the agent; `restarts` discards the text so far. */
  delta(thread: ThreadKey, text: string, restarts?: boolean): void;
  /** Shows the current state of the turn's calls. */
  progress(message: InboxMessage, calls: readonly Call[]): void;
  /** True if people see the thread's live message now. */
  isOpen(thread: ThreadKey): boolean;
  /**
   * Ends the live message and waits for pending writes. Resolves with what must still be replaced
   * by an answer.
   */
  finish(thread: ThreadKey): Promise<ShownAnswer | undefined>;
  /** Waits for pending writes and shows nothing more. */
  stop(): Promise<void>;
}

/**
 * At most one write a second per thread, Slack's limit.
 * https://docs.slack.dev/apis/web-api/rate-limits
 */
const WRITE_INTERVAL_MS = 1_000;
/** Answers that finish earlier are posted without a live message. */
const TEXT_DELAY_MS = 1_000;
/** Until then the status line is enough. */
const WORK_DELAY_MS = 3_000;
const MAX_BACK_OFF_MS = 30_000;

interface LiveState {
  readonly message: InboxMessage;
  readonly since: number;
  readonly tasks: Map<string, LiveTask>;
  text: string;
  wordsSince: number | undefined;
  live: LiveMessage | undefined;
  /** The place that the outbox has stored. */
  storedPlace: CardPlace | undefined;
  isDirty: boolean;
  isOver: boolean;
  notBefore: number;
  failures: number;
  writing: Promise<void> | undefined;
  cancel: Cancel;
}

/** Creates the live messages of one worker. */
export function createLiveAnswers(deps: {
  readonly chat: Pick<Chat, 'openLiveMessage'>;
  readonly outbox: Outbox;
  readonly inbox: Pick<Inbox, 'current'>;
  readonly clock: Clock;
  readonly log: Log;
}): LiveAnswers {
  const { chat, outbox, inbox, clock, log } = deps;
  const threads = new Map<ThreadKey, LiveState>();
  let isStopped = false;

  function stateOf(message: InboxMessage): LiveState | undefined {
    const { thread } = message;
    if (isStopped || depthOf(thread) > 0) return undefined;
    const known = threads.get(thread);
    if (known?.message.id === message.id) return known;
    if (known) end(known);
    const fresh = newState(message, clock.now());
    threads.set(thread, fresh);
    return fresh;
  }

  function markDirty(state: LiveState): void {
    state.isDirty = true;
    scheduleWrite(state);
  }

  function scheduleWrite(state: LiveState): void {
    if (state.isOver || state.writing !== undefined || !state.isDirty) return;
    state.cancel();
    state.cancel = clock.schedule(Math.max(dueAt(state), state.notBefore), () => {
      if (state.isOver || state.writing !== undefined) return;
      state.writing = write(state).finally(() => {
        state.writing = undefined;
        scheduleWrite(state);
      });
    });
  }

  async function write(state: LiveState): Promise<void> {
    try {
      if (await claimPlace(state)) await draw(state);
      await storePlace(state);
      state.failures = 0;
    } catch (error) {
      backOff(state, error);
      await storePlace(state).catch((cause: unknown) => logFailure(state, cause));
    } finally {
      // Counted from the end of the write: Slack sees at least one second between two.
      state.notBefore = Math.max(state.notBefore, clock.now() + WRITE_INTERVAL_MS);
    }
  }

  /**
   * Claims the thread's one place for a live message. False if it belongs to someone else, for now
   * or permanently.
   */
  async function claimPlace(state: LiveState): Promise<boolean> {
    const at = await outbox.liveMessageOf(state.message.thread);
    if (state.storedPlace === undefined) return await claimFreePlace(state, at);
    // Another worker has taken it over, or an answer has replaced it.
    if (at?.ts !== state.storedPlace.ts) state.isOver = true;
    return !state.isOver;
  }

  /** Stores the place before anything is posted, so that a crash leaves no unknown message. */
  async function claimFreePlace(state: LiveState, at: CardPlace | undefined): Promise<boolean> {
    const { thread } = state.message;
    // Answers that are already queued must be posted first.
    const isFree = !(await outbox.pendingMessages(thread)).some(endsLiveAnswer);
    // We have a message of our own, so this place belongs to someone else.
    if (state.live !== undefined && at !== undefined) state.isOver = true;
    // If another worker has ended the turn meanwhile, nobody would remove our message.
    if ((await inbox.current(thread))?.id !== state.message.id) state.isOver = true;
    if (state.isOver || !isFree) return false;
    state.live ??= chat.openLiveMessage(state.message, at);
    state.storedPlace = at ?? uncertainLivePlace(thread);
    if (at === undefined) await outbox.placeLiveMessage(thread, state.storedPlace);
    return true;
  }

  async function draw(state: LiveState): Promise<void> {
    if (state.isOver || state.live === undefined) return;
    state.isDirty = false;
    noteThinking(state.tasks, state.text);
    const tasks = [...state.tasks.values()];
    const next = await state.live.draw({ text: state.text, tasks });
    if (next === 'more') state.isDirty = true;
  }

  async function storePlace(state: LiveState): Promise<void> {
    if (state.live === undefined || state.storedPlace === undefined) return;
    const place = state.live.place();
    if (place?.ts === state.storedPlace.ts) return;
    state.storedPlace = place;
    await outbox.placeLiveMessage(state.message.thread, place);
  }

  function backOff(state: LiveState, error: unknown): void {
    state.isDirty = true;
    state.failures += 1;
    const waitMs =
      (error instanceof ChatError ? error.retryAfterMs : undefined) ??
      Math.min(MAX_BACK_OFF_MS, WRITE_INTERVAL_MS * 2 ** (state.failures - 1));
    state.notBefore = Math.max(state.notBefore, clock.now() + waitMs);
    logFailure(state, error);
  }

  function logFailure({ message }: LiveState, error: unknown): void {
    log.warn({ err: error, thread: message.thread }, 'Could not update a live message.');
  }

  function end(state: LiveState): void {
    state.isOver = true;
    state.cancel();
    if (threads.get(state.message.thread) === state) threads.delete(state.message.thread);
  }

  return {
    begin(message) {
      const state = stateOf(message);
      if (state === undefined) return;
      state.text = '';
      state.wordsSince = undefined;
      markDirty(state);
    },
    delta(thread, text, restarts = false) {
      const state = threads.get(thread);
      if (state === undefined) return;
      state.text = restarts ? text : state.text + text;
      state.wordsSince ??= clock.now();
      markDirty(state);
    },
    progress(message, calls) {
      const state = calls.length === 0 ? undefined : stateOf(message);
      if (state === undefined) return;
      for (const call of calls) {
        state.tasks.set(call.id, toLiveTask(call));
      }
      markDirty(state);
    },
    isOpen: (thread) => (threads.get(thread)?.live?.place()?.ts ?? '') !== '',
    async finish(thread) {
      if (depthOf(thread) > 0) return undefined;
      const state = threads.get(thread);
      if (state !== undefined) end(state);
      await state?.writing;
      const place = await outbox.liveMessageOf(thread);
      if (place === undefined || (await outbox.pendingMessages(thread)).some(endsLiveAnswer))
        return undefined;
      return { place, text: state?.text ?? '' };
    },
    async stop() {
      isStopped = true;
      const all = [...threads.values()];
      for (const state of all) end(state);
      await Promise.all(all.map(({ writing }) => writing));
    },
  };
}

function newState(message: InboxMessage, since: number): LiveState {
  return {
    message,
    since,
    tasks: new Map(),
    text: '',
    wordsSince: undefined,
    live: undefined,
    storedPlace: undefined,
    isDirty: false,
    isOver: false,
    notBefore: 0,
    failures: 0,
    writing: undefined,
    cancel: () => {},
  };
}

function dueAt({ live, since, wordsSince }: LiveState): number {
  if (live !== undefined) return 0;
  const byWork = since + WORK_DELAY_MS;
  return wordsSince === undefined ? byWork : Math.min(byWork, wordsSince + TEXT_DELAY_MS);
}
