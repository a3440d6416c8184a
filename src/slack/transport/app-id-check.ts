import type { WebClient } from '@slack/web-api';
import type { Cancel, Clock } from '../../domain/ports/clock.ts';
import type { Log } from '../../domain/ports/log.ts';
import { readAppId, type SlackIdentity } from './connect-slack.ts';
import { slackErrorName } from './slack-errors.ts';

const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 60_000;

/** Asks Slack for the app’s id until it is known. */
export interface AppIdCheck {
  start(): void;
  /** Throws with what to do while the id is unknown. */
  check(): void;
  stop(): void;
}

/** Creates the check. It writes the id into the shared `identity`. */
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
    cancel = clock.schedule(clock.now() + delayMs, () => void requestId());
  }

  async function requestId(): Promise<void> {
    try {
      identity.appId = await readAppId(client, identity);
      log.info({}, 'The app’s id is known; clicks, forms and messages are accepted.');
    } catch (error) {
      failures += 1;
      remedy = slackErrorName(error) === 'missing_scope' ? SCOPE : '';
      log.warn({ err: error, failures }, 'Could not read the app’s id from Slack; retrying.');
    }
    schedule();
  }

  return {
    start: schedule,
    check() {
      if (identity.appId !== undefined) return;
      throw new Error(
        `Could not read the app’s id from Slack (bots.info), so all clicks, forms and messages are refused. Retrying at least once a minute.${remedy}`,
      );
    },
    stop() {
      isStopped = true;
      cancel();
    },
  };
}

const SCOPE = ' The bot token lacks the scope users:read. Install the app again with manifest.yml.';
