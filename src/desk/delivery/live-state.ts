import type { CardPlace } from '../../domain/calls/call.ts';
import type { LiveMessage, LiveTask } from '../../domain/ports/chat.ts';
import type { Cancel } from '../../domain/ports/clock.ts';
import type { InboxMessage } from '../../domain/threads/message.ts';
import { noteThinking } from './live-tasks.ts';

/** Answers that finish earlier are posted without a live message. */
const TEXT_DELAY_MS = 1_000;
/** Until then the status line is enough. */
const WORK_DELAY_MS = 3_000;

/** The live message of one turn, and what it must show. */
export interface LiveState {
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

/** Nothing is shown yet. */
export function newState(message: InboxMessage, since: number): LiveState {
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

/** The time of the first write; later ones need not wait. */
export function dueAt({ live, since, wordsSince }: LiveState): number {
  if (live !== undefined) return 0;
  const byWork = since + WORK_DELAY_MS;
  return wordsSince === undefined ? byWork : Math.min(byWork, wordsSince + TEXT_DELAY_MS);
}

/** Shows the current text and tasks. */
export async function draw(state: LiveState): Promise<void> {
  if (state.isOver || state.live === undefined) return;
  state.isDirty = false;
  noteThinking(state.tasks, state.text);
  const tasks = [...state.tasks.values()];
  const next = await state.live.draw({ text: state.text, tasks });
  if (next === 'more') state.isDirty = true;
}
