/**
 * A process that accepts clicks over signed HTTP: the Slack side and desk of Countersign with pending
 * calls that need two people, or a Bolt app that only acknowledges. It tells its parent where it
 * listens, and the tokens of its cards.
 */

import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { App, HTTPReceiver, LogLevel } from '@slack/bolt';
import type { Call } from '../../../../src/domain/calls/call.ts';
import { encodeCardToken } from '../../../../src/domain/calls/digest.ts';
import { createSecretMark } from '../../../../src/domain/secrets/secret-mark.ts';
import { createServer } from '../../../../src/http/create-server.ts';
import { createSlackApp } from '../../../../src/slack/create-slack-app.ts';
import { connectSlack } from '../../../../src/slack/transport/connect-slack.ts';
import { TWO_APPROVERS } from '../../../support/builders/a-call.ts';
import { createTestDirectory } from '../../../support/builders/a-directory.ts';
import { NO_ROUTES } from '../../../support/builders/no-routes.ts';
import { NO_TOOLS } from '../../../support/builders/no-tools.ts';
import { openBenchDesk } from '../bench-desk.ts';
import { QUIET_LOG, type StoreKind } from '../bench-store.ts';
import { seedPending } from '../seed-pending.ts';
import { APP } from './tiny-slack.ts';

/** The parameters of the process. */
export interface ClickServerOptions {
  readonly side: 'ours' | 'ack';
  readonly kind: StoreKind;
  readonly redisUrl: string;
  readonly apiUrl: string;
  readonly signingSecret: string;
  readonly calls: number;
}

/** Its result: where clicks go, and the values of the buttons of its cards. */
export interface ClickServer {
  readonly url: string;
  readonly tokens: readonly string[];
}

const options: ClickServerOptions = JSON.parse(process.argv[2] ?? '{}');
const server = options.side === 'ours' ? await serveDesk() : await serveAcks();
process.send?.(server);

async function serveDesk(): Promise<ClickServer> {
  const { kind, redisUrl, apiUrl, signingSecret, calls } = options;
  const requester = { team: APP.team, user: 'U1' };
  let pending: readonly Call[] = [];
  const { desk, store, toolbox, clock } = await openBenchDesk({
    kind,
    redisUrl,
    prefix: 'clicks',
    route: TWO_APPROVERS,
    async before(store, clock) {
      const seed = { store, clock, count: calls, requester, route: TWO_APPROVERS };
      pending = await seedPending(seed);
    },
  });
  const connection = await connectSlack({
    config: { botToken: 'xoxb-bench', apiUrl, signingSecret, clientPingTimeoutMs: 5_000 },
    log: QUIET_LOG,
  });
  const slack = createSlackApp({
    routes: NO_ROUTES,
    tools: NO_TOOLS,
    directory: createTestDirectory(),
    connection,
    desk,
    toolbox,
    mark: createSecretMark(Buffer.alloc(32)),
    cardOf: (id) => store.ledger.cardOf(id),
    drafts: store.drafts,
    clock,
    log: QUIET_LOG,
  });
  const http = await createServer({
    host: '127.0.0.1',
    port: 0,
    clock,
    log: QUIET_LOG,
    checks: {},
    ...(slack.requestListener && { slackListener: slack.requestListener }),
  });
  await slack.start();
  return { url: `${http.url}/slack/events`, tokens: pending.map(encodeCardToken) };
}

async function serveAcks(): Promise<ClickServer> {
  const receiver = new HTTPReceiver({
    signingSecret: options.signingSecret,
    logLevel: LogLevel.ERROR,
  });
  const app = new App({
    receiver,
    authorize: async () => ({ botToken: 'xoxb-bench', botId: APP.botId, botUserId: APP.botUserId }),
    logLevel: LogLevel.ERROR,
  });
  app.action(/.*/, async ({ ack }) => await ack());
  const http = createHttpServer(receiver.requestListener);
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const { port } = http.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/slack/events`, tokens: [] };
}
