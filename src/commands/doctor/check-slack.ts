import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';
import type { SlackModeConfig } from '../../config/config.ts';
import { connectSlack, type SlackConnection } from '../../slack/transport/connect-slack.ts';
import { slackErrorName } from '../../slack/transport/slack-errors.ts';
import { SILENT_LOG } from '../../stores/silent-log.ts';
import { type Finding, messageOf } from './finding.ts';

const MANIFEST = new URL('../../../manifest.yml', import.meta.url);
const Manifest = z.object({
  oauth_config: z.object({ scopes: z.object({ bot: z.array(z.string()) }) }),
});

/** The findings about Slack, and the connection for other checks. */
export interface SlackCheck {
  readonly findings: readonly Finding[];
  readonly connection?: SlackConnection;
}

/** Checks the tokens with Slack, and the granted scopes against `manifest.yml`. */
export async function checkSlack({ slack }: SlackModeConfig): Promise<SlackCheck> {
  let connection: SlackConnection;
  try {
    connection = await connectSlack({ config: slack, log: SILENT_LOG });
  } catch (error) {
    return { findings: [{ status: 'problem', message: messageOf(error) }] };
  }
  const { botUserId, team } = connection.identity;
  const identity: Finding = { status: 'ok', message: `The bot is ${botUserId} in ${team}.` };
  const others = [await checkScopes(connection), checkAppId(connection)];
  const delivery = await checkDelivery(connection, slack);
  const findings = [identity, ...others, delivery].filter((each) => each !== undefined);
  return { connection, findings };
}

async function checkScopes({ client }: SlackConnection): Promise<Finding> {
  try {
    const granted = (await client.auth.test()).response_metadata?.scopes;
    if (!granted) {
      return {
        status: 'warning',
        message:
          'Slack’s answer does not list the granted scopes, so they were not compared with manifest.yml. If a proxy is in between, let it pass the header x-oauth-scopes.',
      };
    }
    const text = await readFile(MANIFEST, 'utf8');
    const required = Manifest.parse(parse(text)).oauth_config.scopes.bot;
    const missing = required.filter((scope) => !granted.includes(scope));
    if (missing.length === 0) {
      return {
        status: 'ok',
        message: `All ${required.length} scopes of manifest.yml are granted.`,
      };
    }
    return {
      status: 'problem',
      message: `SLACK_BOT_TOKEN lacks scopes of manifest.yml: ${missing.join(', ')}. Paste manifest.yml into the app’s page “App Manifest”, install the app again, and copy the new token.`,
    };
  } catch (error) {
    return { status: 'problem', message: `The scopes can’t be checked: ${messageOf(error)}.` };
  }
}

/** Without the app id, everything that people send is rejected. */
function checkAppId({ identity }: SlackConnection): Finding | undefined {
  if (identity.appId !== undefined) return undefined;
  return {
    status: 'problem',
    message:
      'Slack does not report which app the token belongs to (bots.info). Grant the scope users:read, and install the app again.',
  };
}

async function checkDelivery(
  { client, identity }: SlackConnection,
  slack: SlackModeConfig['slack'],
): Promise<Finding> {
  if (slack.delivery === 'http') {
    return {
      status: 'ok',
      message:
        'HTTP: Slack sends requests to https://<your address>/slack/events. SLACK_SIGNING_SECRET can only be checked with the first of them.',
    };
  }
  const { appToken: token } = slack;
  const [, , appOfToken] = token.split('-');
  if (identity.appId !== undefined && /^A[A-Z0-9]+$/.test(appOfToken ?? '')) {
    if (appOfToken !== identity.appId) return describeWrongApp(appOfToken, identity.appId);
  }
  try {
    // This reserves a WebSocket URL but opens no connection.
    await client.apps.connections.open({ token });
    return {
      status: 'ok',
      message: 'Socket Mode is on, and SLACK_APP_TOKEN may open connections.',
    };
  } catch (error) {
    return { status: 'problem', message: describeMissingSocketMode(error) };
  }
}

function describeWrongApp(ofAppToken: string | undefined, ofBotToken: string): Finding {
  return {
    status: 'problem',
    message: `SLACK_APP_TOKEN belongs to the app ${ofAppToken}, and SLACK_BOT_TOKEN to ${ofBotToken}. Copy both from the same app.`,
  };
}

function describeMissingSocketMode(error: unknown): string {
  const name = slackErrorName(error);
  switch (name) {
    case undefined:
      return `Slack can’t be asked for a Socket Mode connection: ${messageOf(error)}.`;
    case 'missing_scope':
    case 'not_allowed_token_type':
      return 'SLACK_APP_TOKEN may not open connections. Create an app-level token with the scope connections:write on the app’s page “Basic Information”.';
    case 'invalid_auth':
    case 'token_revoked':
      return 'Slack refuses SLACK_APP_TOKEN. Create a new one with the scope connections:write on the app’s page “Basic Information”.';
    default:
      return `Slack answered “${name}” to apps.connections.open. Turn on Socket Mode on the app’s page “Socket Mode”.`;
  }
}
