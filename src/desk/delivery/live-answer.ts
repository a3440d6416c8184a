/**
 * The live message of a turn: shows the agent's text and tools as they come. Best effort; nothing
 * waits for it. The outbox stores its place, so that after a crash the next answer replaces it or
 * it is removed.
 */
import type { Call, CardPlace } from '../../domain/calls/call.ts';
import { ChatError } from '../../domain/ports/chat.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { Log } from '../../domain/ports/log.ts';
import type { InboxMessage } from '../../domain/threads/message.ts';
import { depthOf, type ThreadKey } from '../../domain/threads/thread-key.ts';
import { claimPlace, type PlaceDeps, storePlace } from './live-place.ts';
import { draw, dueAt, type LiveState, newState } from './live-state.ts';
import { toLiveTask } from './live-tasks.ts';
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
const MAX_BACK_OFF_MS = 30_000;

type LiveDeps = PlaceDeps & { readonly clock: Clock; readonly log: Log };

/** Creates the live messages of one worker. */
export function createLiveAnswers(deps: LiveDeps): LiveAnswers {
  const { outbox, clock } = deps;
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
      state.writing = write(deps, state).finally(() => {
        state.writing = undefined;
        scheduleWrite(state);
      });
    });
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

async function write(deps: LiveDeps, state: LiveState): Promise<void> {
  const { clock } = deps;
  try {
    if (await claimPlace(deps, state)) await draw(state);
    await storePlace(deps, state);
    state.failures = 0;
  } catch (error) {
    backOff(deps, state, error);
    await storePlace(deps, state).catch((cause: unknown) => logFailure(deps, state, cause));
  } finally {
    // Counted from the end of the write: Slack sees at least one second between two.
    state.notBefore = Math.max(state.notBefore, clock.now() + WRITE_INTERVAL_MS);
  }
}

function backOff(deps: LiveDeps, state: LiveState, error: unknown): void {
  const now = deps.clock.now();
  state.isDirty = true;
  state.failures += 1;
  const waitMs =
    (error instanceof ChatError ? error.retryAfterMs : undefined) ??
    Math.min(MAX_BACK_OFF_MS, WRITE_INTERVAL_MS * 2 ** (state.failures - 1));
  state.notBefore = Math.max(state.notBefore, now + waitMs);
  logFailure(deps, state, error);
}

function logFailure({ log }: LiveDeps, { message }: LiveState, error: unknown): void {
  log.warn({ err: error, thread: message.thread }, 'Could not update a live message.');
}
