/**
 * Notices of a pause and its end, in the same commit: once in each route channel with open calls,
 * and on every open card.
 */

import { type Call, isTerminal } from '../../domain/calls/call.ts';
import type { Person } from '../../domain/people/person.ts';
import { deliverOutboxKey, renderCardKey } from '../../domain/ports/agenda.ts';
import type { Effects, Store } from '../../domain/ports/store.ts';
import { type Sentence, sentence } from '../../domain/text/sentence.ts';
import { type OutboxMessage, toOutboxWords } from '../../domain/threads/outbox-message.ts';
import type { Pause } from '../../domain/threads/pause.ts';
import { channelKey } from '../../domain/threads/thread-key.ts';
import { actorOf } from '../calls/call-effects.ts';

/** Statuses whose cards mention the pause. */
const OPEN = ['pending', 'approved', 'unknown'] as const;

/** Reads the calls with open cards. */
export async function readOpenCards({ ledger }: Pick<Store, 'ledger'>): Promise<readonly Call[]> {
  const found = await Promise.all(OPEN.map((status) => ledger.withStatus(status)));
  return found.flat().filter((call) => call.route !== undefined && !isTerminal(call));
}

/** The route channels of these calls. */
export function routeChannelsOf(calls: readonly Call[]): readonly string[] {
  const channels = calls.flatMap(({ route }) => route?.channel ?? []);
  return [...new Set(channels)];
}

/** The effects of starting a pause. */
export function pauseEffects(pause: Pause, calls: readonly Call[]): Effects {
  const words = sentence`:double_vertical_bar: ${{ person: pause.by.user }} paused me: nothing new runs until an admin resumes. You can still reply to calls here or ignore them; their deadlines continue.`;
  return toEffects('app.pause', pause, pause.by, pause.at, calls, words);
}

/** The effects of ending a pause; notices go where the pause was announced. */
export function resumeEffects(
  pause: Pause,
  by: Person,
  now: number,
  calls: readonly Call[],
): Effects {
  const words = sentence`:arrow_forward: ${{ person: by.user }} resumed me: calls here can be approved again.`;
  return toEffects('app.resume', pause, by, now, calls, words);
}

function toEffects(
  event: 'app.pause' | 'app.resume',
  pause: Pause,
  by: Person,
  at: number,
  calls: readonly Call[],
  words: Sentence,
): Effects {
  const outboxMessages = (pause.channels ?? []).map(
    (channel): OutboxMessage => ({
      id: `${event}:${pause.at}:${channel}`,
      thread: channelKey({ team: by.team, channel }),
      kind: 'notice',
      to: by,
      ...toOutboxWords(words),
      createdAt: at,
    }),
  );
  return {
    audit: [{ at, event, subject: 'app', actor: actorOf(by), detail: {} }],
    outboxMessages,
    wakes: [
      ...outboxMessages.map(({ thread }) => ({ key: deliverOutboxKey(thread), dueAt: at })),
      ...calls.map((call) => ({ key: renderCardKey(call), dueAt: at })),
    ],
  };
}
