/** A graph on LangGraph's own local server, used like any remote one. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createGraphAgent } from '../../../src/agent/graphs/create-graph-agent.ts';
import { findProtocol } from '../../../src/agent/graphs/protocols/find-protocol.ts';
import {
  createRemoteGraph,
  findRemoteProblem,
  remoteThreadId,
} from '../../../src/agent/graphs/remote-graph.ts';
import { REQUESTER, THREAD } from '../../support/builders/a-call.ts';
import { buildGraphDesk, graphFile } from './graph-desk.ts';

const SERVER = fileURLToPath(new URL('./langgraph-server.ts', import.meta.url));

it('a number that JavaScript would round is shown with all digits, because a server in another language runs with them', async (t) => {
  const huge = `1${'0'.repeat(400)}`;
  const numbers = `"account":12345678901234567890,"n":-1e21,"m":[-${huge},1e400,1e-400]`;
  const args = String.raw`{${numbers},"text":"\\\"12345678901234567890\\"}`;
  const value = `{"countersign":1,"call":{"name":"pay","args":${args}}}`;
  const picture = 'x'.repeat(16_000_000);
  const state = `{"values":{"messages":["${picture}"]},"next":["ask"],"checkpoint":{"checkpoint_id":"c"},"metadata":{},
    "tasks":[{"id":"t","name":"ask","interrupts":[{"id":"i","value":${value}}]}]}`;
  const server = createServer(({ url }, response) => {
    response
      .setHeader('content-type', 'application/json')
      .end(url?.includes('/runs') ? '[]' : state);
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const graph = createRemoteGraph({ url: `http://127.0.0.1:${port}`, assistant: 'agent' });
  const [task] = (await graph.read(THREAD)).tasks;
  const [asked] = findProtocol(task?.interrupts[0]?.value).parse(task?.interrupts[0]?.value) ?? [];
  const shown = { account: '12345678901234567890', n: -1e21, m: [`-${huge}`, '1e400', 0] };
  const text = '\\"12345678901234567890\\';
  assert.deepEqual(asked?.args, { ...shown, text });
});

describe('a graph behind LangGraph’s own local server', () => {
  let folder: string;
  let server: ChildProcess;
  let url: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'countersign-server-'));
    server = spawn(process.execPath, ['--import', 'tsx', SERVER, folder, graphFile('remote')], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { ...process.env, GRAPH_JOURNAL: join(folder, 'journal') },
    });
    url = await new Promise<string>((resolve, reject) => {
      server.once('message', (host) => resolve(`http://${String(host)}`));
      server.once('exit', (code) => reject(new Error(`The server ended with ${code}.`)));
    });
  });
  after(async () => {
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill();
    await ended;
    await rm(folder, { recursive: true });
  });

  it('always has the same UUID for a thread', () => {
    assert.equal(remoteThreadId(THREAD), remoteThreadId(THREAD));
    assert.match(
      remoteThreadId(THREAD),
      /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
  });

  it('reports a missing assistant or server before anybody waits for it', async () => {
    assert.equal(await findRemoteProblem({ url, assistant: 'agent' }), undefined);
    const problem = await findRemoteProblem({ url, assistant: 'nobody' });
    assert.match(problem ?? '', /has no assistant “nobody” \(404\)\. Write the name of a graph/);
    await assert.rejects(findRemoteProblem({ url: 'http://127.0.0.1:1', assistant: 'agent' }));
  });

  it('decides each call by itself, stays consistent after a stop, and a crash of ours does not end its run', async (t) => {
    const graph = createRemoteGraph({ url, assistant: 'agent' });
    const desk = await buildGraphDesk(t, 'remote', {
      journal: join(folder, 'journal'),
      agentOf: async () => createGraphAgent({ graph, log: { error: console.error } }),
    });
    await desk.send('delete 3');
    await desk.approve(await desk.open('file-2'));
    const told = await desk.calls();
    assert.deepEqual(
      told.map(({ status }) => status),
      ['pending', 'succeeded', 'pending'],
    );
    assert.deepEqual(told[1]?.outcome, { kind: 'result', text: 'Deleted file-2.' });
    await desk.restart();
    await desk.decide(await desk.open('file-1'), REQUESTER, {
      kind: 'edit',
      args: { path: 'file-11' },
    });
    await desk.reply(await desk.open('file-3'), 'Keep it.');
    assert.match(desk.said().at(-1) ?? '', /Deleted file-11\. .*Deleted file-2\. .*Keep it\./);
    await desk.send('delete 1');
    await desk.send('stop');
    await desk.send('hello');
    // Ten messages exist before: two turns, the second one closed.
    assert.equal(desk.said().at(-1), 'You said: hello (10)');

    // A run that a dead worker started continues there: we wait for it and start no second one.
    await desk.send('delete 1');
    const before = (await desk.ran()).length;
    const goOn = await desk.hold();
    const held = await desk.open('file-1');
    await desk.press(held);
    await desk.began('file-1');
    await desk.restart();
    await desk.clock.advance(60_000);
    await goOn();
    await desk.rest();
    assert.equal((await desk.ran()).length, before + 1);
    const call = await desk.store.ledger.get(held.id);
    assert.deepEqual(call?.outcome, { kind: 'result', text: 'Deleted file-1.' });
    assert.match(desk.said().at(-1) ?? '', /^So it went: Deleted file-1\.$/);
  });
});
