import { SocketModeReceiver } from '@slack/bolt';
import type { Cancel, Clock } from '../../domain/ports/clock.ts';
import type { Log } from '../../domain/ports/log.ts';
import { clientOptions, type SlackConnection } from './connect-slack.ts';
import { isPayload, objectAt, textAt } from './payload.ts';
import { slackErrorName } from './slack-errors.ts';
import { createSlackLogger } from './slack-logger.ts';
import type { SlackTransport } from './slack-transport.ts';

const MAX_DELAY_MS = 30_000;
const FIRST_DELAY_MS = 500;
/** Slack says hello at once. A connection without a hello in this time is closed. */
const GREETING_MS = 30_000;

const START_ERRORS: Readonly<Record<string, string>> = {
  invalid_auth: 'Slack rejects SLACK_APP_TOKEN. Copy the xapp- token again from the app’s page.',
  not_allowed_token_type:
    'SLACK_APP_TOKEN is not an app-level token. Use the one that starts with xapp-.',
  missing_scope:
    'SLACK_APP_TOKEN lacks the scope connections:write. Create an app-level token that has it.',
};

/**
 * Creates the transport over Socket Mode. It reconnects without limit; Bolt's own reconnect would
 * end the process during a short network failure.
 */
export function createSlackSocketTransport(deps: {
  readonly connection: SlackConnection;
  readonly appToken: string;
  readonly clock: Clock;
  readonly log: Log;
}): SlackTransport {
  const { clock, log } = deps;
  const { config } = deps.connection;
  const { clientPingTimeoutMs: pingTimeout } = config;
  const receiver = new SocketModeReceiver({
    appToken: deps.appToken,
    logger: createSlackLogger(log),
    autoReconnectEnabled: false,
    installerOptions: { clientOptions: clientOptions(config, log) },
    ...(pingTimeout === undefined ? {} : { clientPingTimeout: pingTimeout }),
  });
  const socket = receiver.client;
  dropUnreadable(socket, log);
  let state: 'disconnected' | 'connecting' | 'connected' | 'stopped' = 'disconnected';
  let failures = 0;
  let cancel: Cancel = () => {};

  socket.on('disconnected', () => {
    if (state !== 'connected') return;
    state = 'disconnected';
    log.info({}, 'The connection to Slack closed; reconnecting.');
    void reconnect();
  });

  async function connect(): Promise<void> {
    state = 'connecting';
    const cancelWait = clock.schedule(clock.now() + GREETING_MS, () => void socket.disconnect());
    try {
      await socket.start();
    } catch (error) {
      if (state === 'connecting') state = 'disconnected';
      throw error;
    } finally {
      cancelWait();
    }
    if (isStopped()) return socket.disconnect();
    state = 'connected';
    failures = 0;
  }

  /** A stop may arrive while connecting. */
  function isStopped(): boolean {
    return state === 'stopped';
  }

  async function reconnect(): Promise<void> {
    if (isStopped()) return;
    try {
      await connect();
    } catch (error) {
      if (isStopped()) return;
      failures += 1;
      const delayMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** failures);
      log.warn({ err: error, delayMs }, 'Slack can’t be reached; retrying.');
      cancel = clock.schedule(clock.now() + delayMs, () => void reconnect());
    }
  }

  return {
    receiver,
    async start() {
      await connect().catch((error: unknown) => {
        const name = slackErrorName(error) ?? '';
        const why =
          START_ERRORS[name] ?? 'Slack’s Socket Mode can’t be reached. Check the network.';
        throw new Error(why, { cause: error });
      });
    },
    async stop() {
      const wasConnected = state === 'connected';
      state = 'stopped';
      cancel();
      if (wasConnected) await socket.disconnect();
    },
    async check() {
      if (state !== 'connected') throw new Error('The connection to Slack is down.');
    },
  };
}

type Socket = SocketModeReceiver['client'];

/** Drops malformed messages: the client’s own parser would end the process at them. */
function dropUnreadable(socket: Socket, log: Log): void {
  const readers = socket.listeners('ws_message');
  socket.removeAllListeners('ws_message');
  socket.on('ws_message', (data: unknown, ...rest: unknown[]) => {
    if (typeof data === 'string' && !isReadable(data)) {
      log.warn({}, 'Ignored a malformed message on the connection to Slack.');
      return;
    }
    for (const read of readers) read.call(socket, data, ...rest);
  });
}

function isReadable(text: string): boolean {
  try {
    const message: unknown = JSON.parse(text);
    if (!isPayload(message)) return false;
    if (message.type !== 'events_api') return true;
    return textAt(objectAt(objectAt(message, 'payload'), 'event'), 'type') !== undefined;
  } catch {
    return false;
  }
}
