/** Messages that are nothing but a command: they never begin a turn, and never are a reply. */

import type { InboxMessage } from '../../../domain/threads/message.ts';

const STOP = new Set(['stop', 'please stop', 'stop please', 'stop it', 'please stop it']);
const FORGET = new Set(['forget this thread', 'please forget this thread']);

/** Tells whether a text says to stop, and nothing else. */
export function isStopCommand(text: string): boolean {
  return STOP.has(plainOf(text));
}

/** Tells whether a text says to forget the thread, and nothing else. */
export function isForgetCommand(text: string): boolean {
  return FORGET.has(plainOf(text));
}

/** Tells whether a person's message is a command and nothing else. */
export function isThreadCommand({
  text,
  delegated,
}: Pick<InboxMessage, 'text' | 'delegated'>): boolean {
  // What an agent writes to its helper is work, whatever the words.
  return delegated === undefined && (isStopCommand(text) || isForgetCommand(text));
}

function plainOf(text: string): string {
  return (
    text
      .toLowerCase()
      // Signs of emphasis and code come along when somebody copies the word.
      .replaceAll(/[\s.!,`*_~]+/g, ' ')
      .trim()
  );
}
