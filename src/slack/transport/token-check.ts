import type { WebClient } from '@slack/web-api';
import type { Clock } from '../../domain/ports/clock.ts';
import { TOKEN_ERRORS } from './connect-slack.ts';
import { slackErrorName } from './slack-errors.ts';

const ASK_EVERY_MS = 30_000;

/**
 * Creates the check of the bot token. It rejects with what to do while Slack reports the token as
 * invalid. It asks Slack in the background, at most every 30 s; network failures do not count.
 */
export function createTokenCheck({
  client,
  clock,
}: {
  readonly client: Pick<WebClient, 'auth'>;
  readonly clock: Clock;
}): () => Promise<void> {
  let why: string | undefined;
  let askedAt: number | undefined;

  async function ask(): Promise<void> {
    try {
      await client.auth.test();
      why = undefined;
    } catch (error) {
      const name = slackErrorName(error);
      if (name !== undefined) why = TOKEN_ERRORS[name];
    }
  }

  return async () => {
    const now = clock.now();
    if (askedAt === undefined || now - askedAt >= ASK_EVERY_MS) {
      askedAt = now;
      void ask();
    }
    if (why !== undefined) throw new Error(why);
  };
}
