import { WebClient, type WebClientOptions } from '@slack/web-api';
import type { Log } from '../../domain/ports/log.ts';
import type { SlackConfig } from './slack-config.ts';
import { slackErrorName } from './slack-errors.ts';
import { createSlackLogger } from './slack-logger.ts';

/** Who the app is in its workspace. */
export interface SlackIdentity {
  readonly team: string;
  readonly botUserId: string;
  readonly botId: string;
  /** The Enterprise Grid organization of the workspace, if any. */
  readonly enterprise?: string | undefined;
  /** Undefined until Slack returns it; until then everything people send is refused. */
  appId: string | undefined;
}

/** A connection to a workspace, and the identity of the app there. */
export interface SlackConnection {
  readonly config: SlackConfig;
  readonly client: WebClient;
  readonly identity: SlackIdentity;
}

const CALL_TIMEOUT_MS = 10_000;

/** Returns the options of every Web API client: a timeout of 10 s and no automatic retries. */
export function clientOptions(config: SlackConfig, log: Log): WebClientOptions {
  return {
    logger: createSlackLogger(log),
    timeout: CALL_TIMEOUT_MS,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    ...(config.apiUrl === undefined ? {} : { slackApiUrl: config.apiUrl }),
  };
}

/** Asks Slack who the app is. Rejects with what is wrong and what to do. */
export async function connectSlack(deps: {
  readonly config: SlackConfig;
  readonly log: Log;
}): Promise<SlackConnection> {
  const { config, log } = deps;
  const client = new WebClient(config.botToken, clientOptions(config, log));
  const answer = await client.auth.test().catch((error: unknown) => {
    throw new Error(explainFailedStart(error, config), { cause: error });
  });
  const { team_id: team, user_id: botUserId, bot_id: botId, enterprise_id: enterprise } = answer;
  if (team === undefined || botUserId === undefined || botId === undefined) {
    throw new Error('SLACK_BOT_TOKEN is not a bot token. Use the one that starts with xoxb-.');
  }
  const appId = await readAppId(client, { botId }).catch((error: unknown) => {
    log.warn(
      { err: error },
      'Could not read the app’s id from Slack; everything people send is refused until it is known.',
    );
    return undefined;
  });
  const organization = enterprise === undefined ? {} : { enterprise };
  return { config, client, identity: { team, botUserId, botId, appId, ...organization } };
}

/** Asks Slack for the app’s own id, which identifies payloads for other apps. Rejects if Slack does not return it. */
export async function readAppId(
  client: Pick<WebClient, 'bots'>,
  { botId }: Pick<SlackIdentity, 'botId'>,
): Promise<string> {
  const { bot } = await client.bots.info({ bot: botId });
  if (bot?.app_id === undefined) throw new Error('Slack’s response to bots.info has no app_id.');
  return bot.app_id;
}

/** What to do when Slack rejects the token, by Slack’s error name. */
export const TOKEN_ERRORS: Readonly<Record<string, string>> = {
  invalid_auth:
    'Slack rejects SLACK_BOT_TOKEN. Copy it again from the app’s page, “OAuth & Permissions”.',
  not_authed: 'SLACK_BOT_TOKEN is empty. Copy it from the app’s page, “OAuth & Permissions”.',
  token_revoked: 'SLACK_BOT_TOKEN was revoked. Install the app again and copy the new token.',
  token_expired: 'SLACK_BOT_TOKEN has expired. Install the app again and copy the new token.',
  account_inactive:
    'The app was removed from the workspace. Install it again and copy the new token.',
  missing_scope: 'SLACK_BOT_TOKEN lacks a scope. Install the app again with manifest.yml.',
};

function explainFailedStart(error: unknown, config: SlackConfig): string {
  const name = slackErrorName(error);
  if (name !== undefined) {
    return TOKEN_ERRORS[name] ?? `Slack answered ${name} to auth.test. Check SLACK_BOT_TOKEN.`;
  }
  const where = config.apiUrl ?? 'https://slack.com/api/';
  return `Slack can't be reached at ${where}. Check the network, the proxy and SLACK_API_URL.`;
}
