/** Two processes of the app on one Redis and one workspace, and a Redis that fails. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createWorkspace } from '../../../src/playground/workspace/create-workspace.ts';
import type { Workspace } from '../../../src/playground/workspace/workspace-port.ts';
import { createSystemClock } from '../../../src/process/system-clock.ts';
import { type AppProcess, startApp } from '../../support/app/app-process.ts';
import { createScene, type Scene } from '../../support/app/scene.ts';
import { type FaultProxy, startFaultProxy } from '../../support/servers/fault-proxy.ts';
import {
  createMockModel,
  type MockAnswer,
  type MockModel,
  sayCalls,
  sayText,
} from '../../support/servers/mock-model.ts';
import { type RedisServer, startRedis } from '../../support/store/redis-server.ts';
import { until } from '../../support/until.ts';

const APP = fileURLToPath(new URL('../../fixtures/apps/short-lease-app.ts', import.meta.url));

describe('two processes on one Redis', () => {
  let folder: string;
  let server: RedisServer;
  let proxy: FaultProxy;
  let workspace: Workspace;
  let model: MockModel;
  let scene: Scene;
  let apps: AppProcess[] = [];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countersign-two-'));
    server = await startRedis(['--appendonly', 'yes']);
    proxy = await startFaultProxy({ path: server.url.slice('unix://'.length) });
    workspace = await createWorkspace({ clock: createSystemClock() });
    model = await createMockModel();
    scene = createScene(workspace, () =>
      apps.map((app) => app.output().slice(-3_000)).join('\n===\n'),
    );
    apps = await Promise.all([startOne('a'), startOne('b')]);
  });
  after(async () => {
    await Promise.all(apps.map((app) => app.stop()));
    await model.stop();
    await workspace.stop();
    await proxy.stop();
    await server.stop();
    await rm(folder, { recursive: true });
  });

  function startOne(name: string): Promise<AppProcess> {
    return startApp(
      {
        SLACK_BOT_TOKEN: workspace.botToken,
        SLACK_SIGNING_SECRET: workspace.signingSecret,
        SLACK_API_URL: workspace.apiUrl,
        PORT: '0',
        HOST: '127.0.0.1',
        DATA_DIR: join(folder, `data-${name}`),
        WORKSPACE_DIR: join(folder, 'workspace'),
        REDIS_URL: `redis://127.0.0.1:${proxy.port}`,
        OPENAI_BASE_URL: model.url,
        ALLOW_UNSANDBOXED_COMMANDS: '1',
      },
      APP,
    );
  }

  /** Sends the next requests of Slack to this process. */
  function deliverTo(n: number): void {
    workspace.deliverTo({ kind: 'http', url: `${apps[n]?.url}/slack/events` });
  }

  function play(...answers: readonly MockAnswer[]): void {
    model.script((_request, index) => {
      const answer = answers[index];
      if (!answer) throw new Error(`The model was asked ${index + 1} times.`);
      return answer;
    });
  }

  const file = (name: string) =>
    readFile(join(folder, 'workspace', name), 'utf8').catch(() => undefined);

  it('a card rendered by one is decided at the other', async () => {
    play(write('a.txt', 'hello'), sayText('Written.'));
    deliverTo(0);
    const place = await scene.ask('requester', 'write a.txt');
    const card = await scene.card(place, 'a.txt');
    deliverTo(1);
    await scene.press('requester', card, 'call.approve');
    await scene.answer(place, 'Written.');
    assert.equal(await file('a.txt'), 'hello');
    assert.equal(scene.cards(place).length, 1);
  });

  it('while Redis does not respond, neither is ready and clicks get a retry message; then all continues', async () => {
    play(write('b.txt', 'b'), sayText('Written b.'));
    const place = await scene.ask('requester', 'write b.txt');
    const card = await scene.card(place, 'b.txt');
    proxy.blackHole();
    const pressed = scene.press('requester', card, 'call.approve').catch(() => undefined);
    const ready = await fetch(`${apps[0]?.url}/readyz`);
    assert.equal(ready.status, 503);
    assert.match(await ready.text(), /Redis does not answer/);
    await pressed;
    await scene.privately('requester', 'try again');
    assert.equal(await file('b.txt'), undefined);
    proxy.heal();
    await until(async () => (await fetch(`${apps[1]?.url}/readyz`)).status === 200, 100);
    await scene.press('requester', card, 'call.approve');
    await scene.answer(place, 'Written b.');
    assert.equal(await file('b.txt'), 'b');
  });

  for (const n of [0, 1]) {
    it(`a stop received by process ${n} ends the command, in whichever process it runs`, async () => {
      const command = `touch begun${n}; sleep 30; touch slept${n}`;
      play(sayCalls([call('run_command', { command })]));
      const place = await scene.ask('requester', 'sleep a while');
      const card = await scene.card(place, `begun${n}`);
      await scene.press('requester', card, 'call.approve');
      await until(async () => (await file(`begun${n}`)) !== undefined, 20);
      deliverTo(n);
      await scene.write('requester', place, 'stop');
      await scene.card(place, 'stopped');
      assert.equal(await file(`slept${n}`), undefined);
    });
  }

  it('when one dies while its command runs, the other asks whether it ran, and continues with the answer', async () => {
    play(
      sayCalls([call('run_command', { command: 'touch running; sleep 20.25' })]),
      sayText('It is known now.'),
    );
    const place = await scene.ask('requester', 'run for a while');
    const card = await scene.card(place, 'running');
    await scene.press('requester', card, 'call.approve');
    await until(async () => (await file('running')) !== undefined, 20);
    const above = groupsAbove('sleep 20.25');
    const runner = apps.findIndex(({ group }) => group !== undefined && above.includes(group));
    assert.notEqual(runner, -1);
    await apps[runner]?.kill();
    deliverTo(1 - runner);
    const asking = await scene.card(place, 'It may have run');
    await scene.press('requester', asking, 'call.settle-ran');
    await scene.answer(place, 'It is known now.');
    assert.equal(scene.cards(place).length, 1);
  });
});

/** The process groups of all ancestors of a process with this command line, itself included. */
function groupsAbove(marker: string): readonly number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const found = pids.find((pid) => readProc(pid, 'cmdline').includes(marker));
  const groups: number[] = [];
  for (let at = Number(found ?? 0); at > 0; ) {
    const stat = readProc(String(at), 'stat');
    const [, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    groups.push(Number(group));
    at = Number(parent);
  }
  return groups;
}

/** Empty if the process has ended meanwhile. */
function readProc(pid: string, what: 'cmdline' | 'stat'): string {
  try {
    return readFileSync(`/proc/${pid}/${what}`, 'utf8');
  } catch {
    return '';
  }
}

function call(name: string, args: Readonly<Record<string, unknown>>) {
  return { name, args: JSON.stringify(args) };
}

function write(path: string, content: string): MockAnswer {
  return sayCalls([call('write_file', { path, content })]);
}
