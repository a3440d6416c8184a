import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { ExternalRequest } from '../../../src/desk/external/external-request.ts';
import { type Gate, REQUESTER_ROUTE, type Route } from '../../../src/domain/policy/route.ts';
import type { WorkspaceMessage } from '../../../src/playground/workspace/workspace-port.ts';
import { createTestDirectory } from '../../support/builders/a-directory.ts';
import { buildDesk, type TestDesk } from '../../support/desk/build-desk.ts';
import { setSlackStage } from './slack-stage.ts';

export const CALLER = { key: 'k1', name: 'deploy-bot', host: '203.0.113.7' };
export const MINUTE = 60_000;

/** Sets up the workspace, with a real desk that asks on the route of the tool's name, or the requester. */
export async function setOutsideScene(t: TestContext) {
  const routes = new Map<string, Partial<Route>>();
  const ids = { requester: '', approver: '', general: '', approvals: '', team: '' };
  const gate: Gate = ({ tool }) => ({
    kind: 'ask',
    route: { ...REQUESTER_ROUTE, ...routes.get(tool) },
  });
  let desk: TestDesk | undefined;
  const stage = await setSlackStage('http', {
    deskOf: async (chat) => {
      desk = await buildDesk(t, {
        tools: [],
        gate,
        shownOn: chat,
        directory: createTestDirectory(),
      });
      const { store } = desk;
      return { desk: desk.desk, cardOf: (id) => store.ledger.cardOf(id) };
    },
  });
  t.after(() => stage.close());
  assert.ok(desk);
  const { workspace } = stage;
  const real = desk;
  ids.team = workspace.team.id;
  for (const name of ['requester', 'approver'] as const) ids[name] = workspace.member(name).id;
  for (const name of ['general', 'approvals'] as const) ids[name] = workspace.channel(name).id;

  /** Advances the clock and does all tasks that become due. */
  async function pass(ms = 5_000): Promise<void> {
    for (let left = ms; left > 0; left -= MINUTE) {
      await real.rest();
      await real.clock.advance(Math.min(left, MINUTE));
    }
    await real.rest();
  }

  async function ask(more: Partial<ExternalRequest> = {}) {
    const made = await real.outside.request(CALLER, {
      tool: 'drop_table',
      args: { table: 'users' },
      channel: ids.general,
      requester: { team: ids.team, user: ids.requester },
      ...more,
    });
    assert.ok(made.kind === 'made', JSON.stringify(made));
    await pass();
    return made.call;
  }

  const ofType = (type: string, member: string): readonly WorkspaceMessage[] =>
    workspace
      .see(member)
      .messages.filter(({ metadata }) => metadata?.event_type === `countersign_${type}`);
  const cards = (member = 'requester') => ofType('card', member);
  const stored = async (id: string) => {
    const call = await real.store.ledger.get(id);
    assert.ok(call);
    return call;
  };

  /** Checks the app's requests: Slack accepted all, and none names a nonexistent thread. */
  function assertSound(): void {
    const asked = workspace.journal.filter(({ kind }) => kind === 'api');
    for (const { name, ok, problem, request } of asked) {
      const words = JSON.stringify(request) ?? '';
      assert.doesNotMatch(words, /"thread_ts":"0"|thread_ts=0(?:&|$)|"ts":"0"/, name);
      assert.notEqual(ok, false, `${name}: ${problem} ${words}`);
    }
  }
  return {
    workspace,
    desk: real,
    ids,
    routes,
    pass,
    ask,
    cards,
    ofType,
    stored,
    assertSound,
    stage,
  };
}

/** The whole message as text, to search in. */
export const textOf = (message: WorkspaceMessage | undefined) => JSON.stringify(message ?? '');
