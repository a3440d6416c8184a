import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import type { App, ReceiverEvent } from '@slack/bolt';
import { WebClient } from '@slack/web-api';
import { type WebSocket, WebSocketServer } from 'ws';
import { buildToolbox } from '../../../src/domain/tools/toolbox.ts';
import { createWorkspace } from '../../../src/playground/workspace/create-workspace.ts';
import { createSystemClock } from '../../../src/process/system-clock.ts';
import { createSlackApp } from '../../../src/slack/create-slack-app.ts';
import { connectSlack } from '../../../src/slack/transport/connect-slack.ts';
import { createSlackSocketTransport } from '../../../src/slack/transport/socket-transport.ts';
import { createTestDirectory } from '../../support/builders/a-directory.ts';
import { createMemoryDrafts } from '../../support/builders/memory-drafts.ts';
import { NO_ROUTES } from '../../support/builders/no-routes.ts';
import { NO_TOOLS } from '../../support/builders/no-tools.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { TEST_MARK } from '../../support/test-secret-mark.ts';
import { until } from '../../support/until.ts';
import { createFakeDesk } from '../support/fake-desk.ts';
import { setSlackStage } from '../support/slack-stage.ts';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

describe('the Socket Mode transport', () => {
  for (const how of ['refresh', 'drop'] as const) {
    it(`reconnects after a ${how}, and messages arrive`, async () => {
      const stage = await setSlackStage('socket');
      try {
        stage.workspace.faults.disconnectSockets(how);
        // Slack keeps events until a socket is connected again.
        await stage.workspace.connected();
        const { id } = stage.workspace.channel('general');
        await stage.workspace.say('requester', id, `\${bot} still there?`);
        assert.deepEqual(
          stage.desk.received.map(({ text }) => text),
          ['still there?'],
        );
      } finally {
        await stage.close();
      }
    });
  }

  it('retries, and keeps running, while Slack is unreachable', async () => {
    const stage = await setSlackStage('socket');
    try {
      stage.workspace.faults.api('apps.connections.open', { kind: 'status', status: 503 }, 1);
      stage.workspace.faults.disconnectSockets('drop');
      await stage.workspace.waitFor(() =>
        stage.logged.join('').includes('retrying') ? true : undefined,
      );
      await stage.workspace.connected();
    } finally {
      await stage.close();
    }
  });

  it('reports a wrong app token at the start', async () => {
    const clock = createSystemClock();
    const workspace = await createWorkspace({ clock });
    try {
      const config = {
        botToken: workspace.botToken,
        appToken: 'xapp-wrong',
        apiUrl: workspace.apiUrl,
      };
      const connection = await connectSlack({ config, log: quiet });
      const toolbox = buildToolbox([]);
      const cardOf = async () => undefined;
      const app = createSlackApp({
        routes: NO_ROUTES,
        tools: NO_TOOLS,
        directory: createTestDirectory(),
        connection,
        desk: createFakeDesk(),
        toolbox,
        mark: TEST_MARK,
        cardOf,
        drafts: createMemoryDrafts(),
        clock,
        log: quiet,
      });
      await assert.rejects(app.start(), /SLACK_APP_TOKEN/);
      await assert.rejects(app.check(), /down/);
      await app.stop();
    } finally {
      await workspace.stop();
    }
  });
});

describe('the Socket Mode transport with a server that is not Slack', () => {
  /** A server that accepts every API call, and runs `greet` on each connection. */
  async function answerWith(t: TestContext, greet: (socket: WebSocket, count: number) => void) {
    const server = createServer((request, response) => {
      const { port } = server.address() as AddressInfo;
      request.resume();
      response.end(JSON.stringify({ ok: true, url: `ws://127.0.0.1:${port}/` }));
    });
    let count = 0;
    const sockets = new WebSocketServer({ server });
    sockets.on('connection', (socket) => {
      count += 1;
      greet(socket, count);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const logged: string[] = [];
    const note = (_fields: object, message: string) => void logged.push(message);
    const clock = createManualClock();
    const apiUrl = `http://127.0.0.1:${port}/api/`;
    const client = new WebClient('xoxb-1', { slackApiUrl: apiUrl });
    const line = createSlackSocketTransport({
      connection: {
        config: { botToken: 'xoxb-1', apiUrl, clientPingTimeoutMs: 1_000 },
        client,
        identity: { team: 'T1', botUserId: 'U0', botId: 'B0', appId: 'A0' },
      },
      appToken: 'xapp-1',
      clock,
      log: { debug() {}, info: note, warn: note, error: note },
    });
    t.after(async () => {
      await line.stop();
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      server.close();
    });
    return { line, clock, logged, connections: () => count };
  }

  const hello = (socket: WebSocket) => socket.send('{"type":"hello"}');

  it('closes a connection without a greeting, at the start and later, and retries', async (t) => {
    const { line, clock, logged, connections } = await answerWith(t, (socket, count) => {
      if (count === 2 || count === 4) hello(socket);
      if (count === 2) socket.close();
    });
    const silent = assert.rejects(line.start(), /Socket Mode can’t be reached/);
    await until(() => connections() === 1);
    await Promise.all([silent, clock.advance(30_000)]);

    await line.start();
    await until(() => connections() === 3);
    await clock.advance(30_000);
    await until(() => logged.includes('Slack can’t be reached; retrying.'));
    await clock.advance(1_000);
    await until(async () => (await line.check().catch(() => 'down')) === undefined);
    assert.equal(connections(), 4);
    assert.equal(clock.pendingCount, 0);
  });

  it('drops malformed messages, and continues', async (t) => {
    let link: WebSocket | undefined;
    const { line, logged } = await answerWith(t, (socket) => {
      link = socket;
      hello(socket);
    });
    const received: unknown[] = [];
    line.receiver.init({
      processEvent: async ({ body }: ReceiverEvent) => void received.push(body),
    } as unknown as App);
    await line.start();
    const event = (payload: unknown) => JSON.stringify({ type: 'events_api', payload });
    const bad = ['null', '7', '[]', '"x"', '{', event(null), event({}), event({ event: null })];
    for (const each of [...bad, event({ event: { type: 'message' } })]) link?.send(each);
    await until(() => received.length > 0);
    assert.deepEqual(received, [{ event: { type: 'message' } }]);
    assert.equal(logged.length, bad.length);
  });
});

describe('the connection', () => {
  it('knows the identity of the app', async () => {
    const workspace = await createWorkspace({ clock: createSystemClock() });
    try {
      const config = { botToken: workspace.botToken, apiUrl: workspace.apiUrl };
      const { identity } = await connectSlack({ config, log: quiet });
      const { app, team } = workspace;
      assert.deepEqual(identity, {
        team: team.id,
        botUserId: app.botUserId,
        botId: app.botId,
        appId: app.id,
      });
      const cases: readonly [string, RegExp][] = [
        ['invalid_auth', /SLACK_BOT_TOKEN.*OAuth/],
        ['missing_scope', /manifest\.yml/],
        ['odd_error', /odd_error.*SLACK_BOT_TOKEN/],
      ];
      for (const [error, said] of cases) {
        workspace.faults.api('auth.test', { kind: 'error', error }, 1);
        await assert.rejects(connectSlack({ config, log: quiet }), said);
      }
    } finally {
      await workspace.stop();
    }
  });

  it('names the address that it can’t reach', async () => {
    const config = { botToken: 'xoxb-x', apiUrl: 'http://127.0.0.1:9/api/' };
    await assert.rejects(connectSlack({ config, log: quiet }), /127\.0\.0\.1:9.*SLACK_API_URL/);
  });
});
