import type { Person } from '../people/person.ts';
import type { Group } from '../policy/route.ts';
import { plainSentence, type Sentence } from '../text/sentence.ts';
import type { ThreadKey } from './thread-key.ts';

/** Something to say in a thread, until it has been said; one id is said once. */
export interface OutboxMessage {
  readonly id: string;
  readonly thread: ThreadKey;
  /** `answer`: the agent's Markdown; `notice`: our own words; `private`: ours, seen by one person only. */
  readonly kind: 'answer' | 'notice' | 'private';
  readonly to?: Person;
  readonly text: string;
  /** The same where it names people, groups, channels or times; shown in place of the text. */
  readonly words?: Sentence;
  readonly createdAt: number;
  /** The turn whose last word an answer is: people can rate it. */
  readonly turn?: string;
  /** A line of our own below an answer. */
  readonly foot?: string;
  /** Those whom it calls, once. */
  readonly mentions?: Mentions;
  /** It has piled up, and nobody waits for it now: it may go when the channel has room. */
  readonly patient?: true;
  /** Says nothing: the thread's growing message is taken away, if no answer has become of it. */
  readonly clearsLive?: true;
  /** Said to `to` in a direct message, wherever the thread is. */
  readonly isDirect?: true;
  /** Written over this earlier say of the thread; where that is gone, nothing is said. */
  readonly replaces?: Pick<OutboxMessage, 'id' | 'createdAt'>;
}

/** Makes what a say of ours says of a sentence. */
export function toOutboxWords(words: Sentence): Pick<OutboxMessage, 'text' | 'words'> {
  return { text: plainSentence(words), words };
}

/** People and groups of the workspace, by id. */
export interface Mentions {
  readonly people: readonly Person[];
  readonly groups: readonly Group[];
}
