import type { Person } from '../people/person.ts';
import type { Attachment, InboxMessage } from './message.ts';

/** A person's post in a Slack thread, addressed to the agent or not. */
export interface ThreadPost {
  /** The same id as that of an inbox message. */
  readonly id: string;
  readonly author: Person;
  readonly text: string;
  /** Names of attached files. */
  readonly fileNames: readonly string[];
}

/** A thread up to a message, as Slack shows it. */
export interface ThreadBackground {
  /** Earlier messages of people, oldest first. */
  readonly before: readonly ThreadPost[];
  /** False if Slack left out some of them; the latest are then missing. */
  readonly isWhole: boolean;
  /** Files of the message itself. */
  readonly files: readonly Attachment[];
}

/**
 * Reads a message's thread from `since` (a Slack timestamp) on; undefined if the app may not read
 * there. Rejects with `ChatError` if a retry may help.
 */
export type ReadThread = (
  message: Pick<InboxMessage, 'thread' | 'ts'>,
  since: string | undefined,
) => Promise<ThreadBackground | undefined>;
