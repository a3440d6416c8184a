import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createBox } from '../../src/domain/toolbox.ts';
import { createWorkspace } from '../../src/playground/workspace/create-workspace.ts';
import { connectSlack } from '../../src/slack/connect-slack.ts';
import { createSlackApp } from '../../src/slack/create-slack.ts';
import { createSystemClock } from '../../src/system-clock.ts';
import { createTestDirectory } from '../support/a-directory.ts';
import { createMemoryDrafts } from '../support/memory-drafts.ts';
import { NO_ROUTES } from '../support/no-routes.ts';
import { NO_TOOLS } from '../support/no-tools.ts';
import { TEST_MARK } from '../support/test-mark.ts';
import { createFakeDesk } from './fake-desk.ts';
import { setSlackStage } from './slack-stage.ts';

const quiet = { debug() {}, info() {}, warn() {}, error() {} };

describe('the line over Socket Mode', () => {
  for (const how of ['refresh', 'drop'] as const) {
    it(`comes back after a ${how}, and messages arrive`, async () => {
      const stage = await setSlackStage('socket');
      try {
        stage.workspace.faults.disconnectSockets(how);
        // Slack holds events until a socket is there again.
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

  it('tries again, and ends nothing, while Slack can’t be reached', async () => {
    const stage = await setSlackStage('socket');
    try {
      stage.workspace.faults.api('apps.connections.open', { kind: 'status', status: 503 }, 1);
      stage.workspace.faults.disconnectSockets('drop');
      await stage.workspace.waitFor(() =>
        stage.logged.join('').includes('trying again') ? true : undefined,
      );
      await stage.workspace.connected();
    } finally {
      await stage.close();
    }
  });

  it('says at the start what is wrong with the app token', async () => {
    const clock = createSystemClock();
    const workspace = await createWorkspace({ clock });
    try {
      const config = {
        botToken: workspace.botToken,
        appToken: 'xapp-wrong',
        apiUrl: workspace.apiUrl,
      };
      const connection = await connectSlack({ config, log: quiet });
      const toolbox = createBox([]);
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

describe('the connection', () => {
  it('knows who the app is', async () => {
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
