import type { WebClient } from '@slack/web-api';
import type { CardPlace } from '../domain/call.ts';
import { ChatError } from '../domain/chat.ts';
import { doing } from './doing.ts';

/** Addresses of messages; they never change. */
export interface Permalinks {
  /** Undefined where Slack shows us no such message; rejects when it does not answer. */
  of(place: CardPlace): Promise<string | undefined>;
}

const MOST = 1_000;
const UNSEEN: ReadonlySet<ChatError['code']> = new Set(['gone', 'undeliverable', 'rejected']);

/** Makes the addresses of a workspace; each is asked for once, as long as it is among the newest. https://docs.slack.dev/reference/methods/chat.getPermalink */
export function createPermalinks(client: WebClient): Permalinks {
  const kept = new Map<string, string>();

  async function ask({ channel, ts }: CardPlace): Promise<string | undefined> {
    try {
      const answer = await doing('ask for the address of a message', () =>
        client.chat.getPermalink({ channel, message_ts: ts }),
      );
      return answer.permalink;
    } catch (error) {
      if (error instanceof ChatError && UNSEEN.has(error.code)) return undefined;
      throw error;
    }
  }

  return {
    async of(place) {
      const key = `${place.channel} ${place.ts}`;
      const known = kept.get(key) ?? (await ask(place));
      if (known === undefined) return undefined;
      kept.delete(key);
      kept.set(key, known);
      const [oldest] = kept.keys();
      if (kept.size > MOST && oldest !== undefined) kept.delete(oldest);
      return known;
    },
  };
}
