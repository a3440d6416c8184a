import type { WebClient } from '@slack/web-api';
import type { Clock } from '../../domain/ports/clock.ts';
import { TOKEN_ERRORS } from './connect-slack.ts';
import { slackErrorName } from './slack-errors.ts';

const ASK_EVERY_MS = 30_000;

/** Makes the check of the app's token: it rejects, with what to do, while Slack's last word is that the token counts no more. Slack is asked beside it, and at most every half minute; that it is away is no such word. */
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
