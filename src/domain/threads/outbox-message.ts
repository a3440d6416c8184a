import type { Group, Person } from '../people/person.ts';
import { plainSentence, type Sentence } from '../text/sentence.ts';
import type { ThreadKey } from './thread-key.ts';

/** A message to post in a thread, kept until posted. One id is posted once. */
export interface OutboxMessage {
  readonly id: string;
  readonly thread: ThreadKey;
  /**
   * `answer`: the agent's Markdown; `notice`: our own text; `private`: ours, visible to one person.
   */
  readonly kind: 'answer' | 'notice' | 'private';
  readonly to?: Person;
  readonly text: string;
  /**
   * The same text with references to people, groups, channels or times; shown instead of `text`.
   */
  readonly words?: Sentence;
  readonly createdAt: number;
  /** The turn that an answer completes. People can rate it. */
  readonly turn?: string;
  /** Our own line below an answer. */
  readonly foot?: string;
  /** People and groups to mention, once. */
  readonly mentions?: Mentions;
  /** Part of a backlog: may wait until the channel has capacity. */
  readonly patient?: true;
  /** Posts nothing; removes the thread's live message if no answer replaced it. */
  readonly clearsLive?: true;
  /** Sent to `to` as a direct message, wherever the thread is. */
  readonly isDirect?: true;
  /** Overwrites this earlier message of the thread. If that is gone, nothing is posted. */
  readonly replaces?: Pick<OutboxMessage, 'id' | 'createdAt'>;
}

/** Returns the text fields of an outbox message. */
export function toOutboxWords(words: Sentence): Pick<OutboxMessage, 'text' | 'words'> {
  return { text: plainSentence(words), words };
}

/** People and groups of the workspace, by id. */
export interface Mentions {
  readonly people: readonly Person[];
  readonly groups: readonly Group[];
}
