/** Messages that consist of a command only. They never start a turn and are never a reply. */

import type { InboxMessage } from '../../../domain/threads/message.ts';

const STOP = new Set(['stop', 'please stop', 'stop please', 'stop it', 'please stop it']);
const FORGET = new Set(['forget this thread', 'please forget this thread']);

/** True if the text is only a stop command. */
export function isStopCommand(text: string): boolean {
  return STOP.has(plainOf(text));
}

/** True if the text is only a command to forget the thread. */
export function isForgetCommand(text: string): boolean {
  return FORGET.has(plainOf(text));
}

/** True if a person's message is only a command. */
export function isThreadCommand({
  text,
  delegated,
}: Pick<InboxMessage, 'text' | 'delegated'>): boolean {
  // An agent's message to its helper is always work.
  return delegated === undefined && (isStopCommand(text) || isForgetCommand(text));
}

function plainOf(text: string): string {
  return (
    text
      .toLowerCase()
      // Copied words often include Slack's formatting characters.
      .replaceAll(/[\s.!,`*_~]+/g, ' ')
      .trim()
  );
}
