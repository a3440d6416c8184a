import type { Person } from '../people/person.ts';
import type { Attachment, InboxMessage } from './message.ts';

/** What a person wrote in a Slack thread, whether or not it was for the agent. */
export interface ThreadPost {
  /** As a message of the inbox would have it. */
  readonly id: string;
  readonly author: Person;
  readonly text: string;
  /** Names of what is attached. */
  readonly fileNames: readonly string[];
}

/** A thread up to a message, as Slack shows it. */
export interface ThreadBackground {
  /** Other messages of people before it, oldest first. */
  readonly before: readonly ThreadPost[];
  /** False where Slack did not show all of them: later ones are missing. */
  readonly isWhole: boolean;
  /** Files of the message itself. */
  readonly files: readonly Attachment[];
}

/** Reads a message's thread, from `since` (a timestamp of Slack) on; undefined where the app may not read there. Rejects with a `ChatError` for what passes. */
export type ReadThread = (
  message: Pick<InboxMessage, 'thread' | 'ts'>,
  since: string | undefined,
) => Promise<ThreadBackground | undefined>;
