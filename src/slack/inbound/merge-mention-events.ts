import type { Clock } from '../../domain/ports/clock.ts';
import type { InboxMessage } from '../../domain/threads/message.ts';
import { objectAt, type Payload } from '../transport/payload.ts';

/** Slack tells of a mention twice, and the event of the mention may lack the files that its twin has. */
export interface MentionMerger {
  /** Resolves at once, but for a mention without files: when its twin has come, or will hardly come any more. Such a mention is marked, for whoever is later than that. */
  whenWhole(body: Payload, message: InboxMessage): Promise<InboxMessage>;
}

/** Slack waits three seconds for the acknowledgement, and the twin mostly comes within milliseconds. */
const TWIN_MS = 1_000;
const MAX_SEEN = 1_000;

/** Creates the pairs of one process. A twin that another replica takes is stored there, files and all. */
export function createMentionMerger({ clock }: { readonly clock: Clock }): MentionMerger {
  const seen = new Set<string>();
  const waiting = new Map<string, () => void>();

  function note(id: string): void {
    waiting.get(id)?.();
    const [oldest] = seen;
    if (seen.size >= MAX_SEEN && oldest !== undefined) seen.delete(oldest);
    seen.add(id);
  }

  async function wait(id: string): Promise<void> {
    await new Promise<void>((resolve) => {
      const cancel = clock.schedule(clock.now() + TWIN_MS, resolve);
      waiting.set(id, () => {
        cancel();
        resolve();
      });
    });
    waiting.delete(id);
  }

  return {
    async whenWhole(body, message) {
      const { id, files } = message;
      if (objectAt(body, 'event').type !== 'app_mention') {
        note(id);
        return message;
      }
      if (files !== undefined) return message;
      if (!seen.has(id)) await wait(id);
      return { ...message, mayHaveFiles: true };
    },
  };
}
