/**
 * What people see of a turn while it goes on: a message that grows with the agent's words and tools.
 * It is a courtesy, and nothing waits for it. The outbox remembers where it stands, so that after
 * whatever happened the next answer becomes of it, or it is taken away.
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

/** What people have seen of a turn that is not said yet. */
export interface ShownAnswer {
  readonly place: CardPlace;
  /** The agent's words in it; empty when this process did not write them. */
  readonly text: string;
}

/** The growing messages of the threads where people talk; helpers' threads have none. */
export interface LiveAnswers {
  /** The agent is asked, anew or again: what it wrote before in this step is void. */
  begin(message: InboxMessage): void;
  /** Takes the agent's words as they come; `restarts` when those before are void. */
  delta(thread: ThreadKey, text: string, restarts?: boolean): void;
  /** Takes the calls of the turn as they stand. */
  progress(message: InboxMessage, calls: readonly Call[]): void;
  /** Tells whether people see the growing message of the thread now. */
  isOpen(thread: ThreadKey): boolean;
  /** Ends the growing; resolves when nothing of it is on its way any more, with what an answer has yet to be made of. */
  finish(thread: ThreadKey): Promise<ShownAnswer | undefined>;
  /** Lets what is on its way arrive and shows nothing more. */
  stop(): Promise<void>;
}

/** At most one write a second and thread, as Slack asks. https://docs.slack.dev/apis/web-api/rate-limits */
const WRITE_EVERY_MS = 1_000;
/** An answer that is over by then is said at once. */
const FIRST_WORDS_MS = 1_000;
/** Until then the status line says enough. */
const FIRST_WORK_MS = 3_000;
const LONGEST_BACK_OFF_MS = 30_000;

interface Growing {
  readonly message: InboxMessage;
  readonly since: number;
  readonly tasks: Map<string, LiveTask>;
  text: string;
  wordsSince: number | undefined;
  live: LiveMessage | undefined;
  /** What the outbox holds of its place. */
  kept: CardPlace | undefined;
  hasNews: boolean;
  isOver: boolean;
  notBefore: number;
  failures: number;
  writing: Promise<void> | undefined;
  cancel: Cancel;
}

/** Creates the growing messages of one worker. */
export function createLiveAnswers(deps: {
  readonly chat: Pick<Chat, 'openLiveMessage'>;
  readonly outbox: Outbox;
  readonly inbox: Pick<Inbox, 'current'>;
  readonly clock: Clock;
  readonly log: Log;
}): LiveAnswers {
  const { chat, outbox, inbox, clock, log } = deps;
  const threads = new Map<ThreadKey, Growing>();
  let isStopped = false;

  function growingOf(message: InboxMessage): Growing | undefined {
    const { thread } = message;
    if (isStopped || depthOf(thread) > 0) return undefined;
    const known = threads.get(thread);
    if (known?.message.id === message.id) return known;
    if (known) end(known);
    const fresh = newGrowing(message, clock.now());
    threads.set(thread, fresh);
    return fresh;
  }

  function hasNews(growing: Growing): void {
    growing.hasNews = true;
    plan(growing);
  }

  function plan(growing: Growing): void {
    if (growing.isOver || growing.writing !== undefined || !growing.hasNews) return;
    growing.cancel();
    growing.cancel = clock.schedule(Math.max(dueAt(growing), growing.notBefore), () => {
      if (growing.isOver || growing.writing !== undefined) return;
      growing.writing = write(growing).finally(() => {
        growing.writing = undefined;
        plan(growing);
      });
    });
  }

  async function write(growing: Growing): Promise<void> {
    try {
      if (await hold(growing)) await draw(growing);
      await keepPlace(growing);
      growing.failures = 0;
    } catch (error) {
      putOff(growing, error);
      await keepPlace(growing).catch((cause: unknown) => logFailure(growing, cause));
    } finally {
      // From its end: however long it was on its way, Slack sees the next one a second later.
      growing.notBefore = Math.max(growing.notBefore, clock.now() + WRITE_EVERY_MS);
    }
  }

  /** Sees to it that the thread's one place for a growing message is ours; false when it is not, for now or for ever. */
  async function hold(growing: Growing): Promise<boolean> {
    const at = await outbox.liveMessageOf(growing.message.thread);
    if (growing.kept === undefined) return await take(growing, at);
    // Another worker has taken it over, or an answer has become of it.
    if (at?.ts !== growing.kept.ts) growing.isOver = true;
    return !growing.isOver;
  }

  /** The place is remembered before anything stands there: a crash leaves no message that nobody knows of. */
  async function take(growing: Growing, at: CardPlace | undefined): Promise<boolean> {
    const { thread } = growing.message;
    // What is said first must stand first.
    const isFree = !(await outbox.pendingMessages(thread)).some(endsLiveAnswer);
    // A place that was not ours to begin with can't be while we have a message of our own.
    if (growing.live !== undefined && at !== undefined) growing.isOver = true;
    // Another worker may have ended the turn while this one stood still: nobody would take the message away.
    if ((await inbox.current(thread))?.id !== growing.message.id) growing.isOver = true;
    if (growing.isOver || !isFree) return false;
    growing.live ??= chat.openLiveMessage(growing.message, at);
    growing.kept = at ?? uncertainLivePlace(thread);
    if (at === undefined) await outbox.placeLiveMessage(thread, growing.kept);
    return true;
  }

  async function draw(growing: Growing): Promise<void> {
    if (growing.isOver || growing.live === undefined) return;
    growing.hasNews = false;
    noteThinking(growing.tasks, growing.text);
    const tasks = [...growing.tasks.values()];
    const next = await growing.live.draw({ text: growing.text, tasks });
    if (next === 'more') growing.hasNews = true;
  }

  async function keepPlace(growing: Growing): Promise<void> {
    if (growing.live === undefined || growing.kept === undefined) return;
    const place = growing.live.place();
    if (place?.ts === growing.kept.ts) return;
    growing.kept = place;
    await outbox.placeLiveMessage(growing.message.thread, place);
  }

  function putOff(growing: Growing, error: unknown): void {
    growing.hasNews = true;
    growing.failures += 1;
    const waitMs =
      (error instanceof ChatError ? error.retryAfterMs : undefined) ??
      Math.min(LONGEST_BACK_OFF_MS, WRITE_EVERY_MS * 2 ** (growing.failures - 1));
    growing.notBefore = Math.max(growing.notBefore, clock.now() + waitMs);
    logFailure(growing, error);
  }

  function logFailure({ message }: Growing, error: unknown): void {
    log.warn({ err: error, thread: message.thread }, 'A growing message was not brought up.');
  }

  function end(growing: Growing): void {
    growing.isOver = true;
    growing.cancel();
    if (threads.get(growing.message.thread) === growing) threads.delete(growing.message.thread);
  }

  return {
    begin(message) {
      const growing = growingOf(message);
      if (growing === undefined) return;
      growing.text = '';
      growing.wordsSince = undefined;
      hasNews(growing);
    },
    delta(thread, text, restarts = false) {
      const growing = threads.get(thread);
      if (growing === undefined) return;
      growing.text = restarts ? text : growing.text + text;
      growing.wordsSince ??= clock.now();
      hasNews(growing);
    },
    progress(message, calls) {
      const growing = calls.length === 0 ? undefined : growingOf(message);
      if (growing === undefined) return;
      for (const call of calls) {
        growing.tasks.set(call.id, toLiveTask(call));
      }
      hasNews(growing);
    },
    isOpen: (thread) => (threads.get(thread)?.live?.place()?.ts ?? '') !== '',
    async finish(thread) {
      if (depthOf(thread) > 0) return undefined;
      const growing = threads.get(thread);
      if (growing !== undefined) end(growing);
      await growing?.writing;
      const place = await outbox.liveMessageOf(thread);
      if (place === undefined || (await outbox.pendingMessages(thread)).some(endsLiveAnswer))
        return undefined;
      return { place, text: growing?.text ?? '' };
    },
    async stop() {
      isStopped = true;
      const all = [...threads.values()];
      for (const growing of all) end(growing);
      await Promise.all(all.map(({ writing }) => writing));
    },
  };
}

function newGrowing(message: InboxMessage, since: number): Growing {
  return {
    message,
    since,
    tasks: new Map(),
    text: '',
    wordsSince: undefined,
    live: undefined,
    kept: undefined,
    hasNews: false,
    isOver: false,
    notBefore: 0,
    failures: 0,
    writing: undefined,
    cancel: () => {},
  };
}

function dueAt({ live, since, wordsSince }: Growing): number {
  if (live !== undefined) return 0;
  const byWork = since + FIRST_WORK_MS;
  return wordsSince === undefined ? byWork : Math.min(byWork, wordsSince + FIRST_WORDS_MS);
}
