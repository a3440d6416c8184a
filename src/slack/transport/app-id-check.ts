import type { WebClient } from '@slack/web-api';
import type { Cancel, Clock } from '../../domain/ports/clock.ts';
import type { Log } from '../../domain/ports/log.ts';
import { readAppId, type SlackIdentity } from './connect-slack.ts';
import { slackErrorName } from './slack-errors.ts';

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 60_000;

/** Asks for the app's id until Slack tells it. */
export interface AppIdCheck {
  start(): void;
  /** Throws, saying what to do, while the id is not known. */
  check(): void;
  stop(): void;
}

/** Makes the check; it writes the id into the identity that all others read. */
export function createAppIdCheck(deps: {
  readonly client: Pick<WebClient, 'bots'>;
  readonly identity: SlackIdentity;
  readonly clock: Clock;
  readonly log: Log;
}): AppIdCheck {
  const { client, identity, clock, log } = deps;
  let cancel: Cancel = () => {};
  let isStopped = false;
  let failures = 0;
  let remedy = '';

  function schedule(): void {
    if (isStopped || identity.appId !== undefined) return;
    const delayMs = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** failures);
    cancel = clock.schedule(clock.now() + delayMs, () => void ask());
  }

  async function ask(): Promise<void> {
    try {
      identity.appId = await readAppId(client, identity);
      log.info({}, 'Slack has told the app’s id; clicks, forms and messages are taken again.');
    } catch (error) {
      failures += 1;
      remedy = slackErrorName(error) === 'missing_scope' ? SCOPE : '';
      log.warn({ err: error, failures }, 'Slack does not tell the app’s id; it is asked again.');
    }
    schedule();
  }

  return {
    start: schedule,
    check() {
      if (identity.appId !== undefined) return;
      throw new Error(
        `Slack does not tell the app’s own id (bots.info), so all clicks, forms and messages are refused. It is asked again every minute.${remedy}`,
      );
    },
    stop() {
      isStopped = true;
      cancel();
    },
  };
}

const SCOPE = ' The bot token lacks users:read: install the app again with manifest.yml.';
