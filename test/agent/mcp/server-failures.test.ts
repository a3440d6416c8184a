/** MCP servers that break, are down, or ask people something while one of their tools runs. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createServerConnection } from '../../../src/agent/mcp/connection/server-connection.ts';
import type { ServerSettings } from '../../../src/agent/mcp/server-settings.ts';
import type { AskPeople, ServerQuestion } from '../../../src/domain/tools/server-tools.ts';
import { UnknownOutcomeError } from '../../../src/domain/tools/tool.ts';
import { REQUESTER } from '../../support/builders/a-call.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { aTool, startHttpFixture } from '../../support/servers/mcp-fixture.ts';
import { until } from '../../support/until.ts';
import { build, contextOf, find, namesOf, overHttp, run, TOOL_TIMEOUT_MS } from './mcp-bench.ts';

describe('a call whose result is lost', () => {
  it('is unknown if the connection breaks, the stream ends or it is aborted, and failed if nothing was sent', async (t) => {
    const ended: string[] = [];
    let isRunning = false;
    const server = await startHttpFixture(t, [
      aTool('hang', async (_args, { signal }) => {
        isRunning = true;
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
        ended.push(String(signal.reason));
        return 'too late';
      }),
      aTool('quick', () => 'quick'),
    ]);
    const { clock, tools } = await build(t, [overHttp('box', server)]);
    const isUnknown = (how: RegExp) => (error: unknown) => {
      assert.ok(error instanceof UnknownOutcomeError, String(error));
      assert.match(error.message, how);
      return true;
    };
    const broken = run(tools, 'box__hang');
    await until(() => isRunning);
    server.breakAll();
    await assert.rejects(broken, isUnknown(/was lost while this ran/));

    isRunning = false;
    const stop = new AbortController();
    const stopped = run(tools, 'box__hang', {}, stop.signal);
    await until(() => isRunning);
    stop.abort(new Error('stopped by a person'));
    await assert.rejects(
      stopped,
      isUnknown(/was told to stop this call, and did not report how far/),
    );
    await until(() => ended.length > 0);
    assert.match(ended[0] ?? '', /stopped by a person/);

    isRunning = false;
    const cut = run(tools, 'box__hang');
    await until(() => isRunning);
    server.endAll();
    await assert.rejects(cut, isUnknown(/was lost while this ran/));

    // Nothing ran if the server has lost the session: the request is repeated once in another one.
    server.forget();
    assert.match(await run(tools, 'box__quick'), /quick/);
    server.forget();
    const several = await Promise.all([1, 2, 3].map(() => run(tools, 'box__quick')));
    for (const each of several) assert.match(each, /quick/);

    // A request of the previous session that still runs is not aborted.
    isRunning = false;
    const kept = new AbortController();
    const running = run(tools, 'box__hang', {}, kept.signal);
    await until(() => isRunning);
    const sessions = new Set(server.headers.map((each) => each['mcp-session-id'])).size;
    server.forget();
    assert.match(await run(tools, 'box__quick'), /quick/);
    assert.equal(new Set(server.headers.map((each) => each['mcp-session-id'])).size, sessions + 1);
    kept.abort(new Error('stopped late'));
    await assert.rejects(running, isUnknown(/was told to stop this call/));

    await server.stop();
    // A request that is sent while the connection closes may have arrived.
    await run(tools, 'box__quick').catch(() => {});
    await assert.rejects(run(tools, 'box__quick'), (error: unknown) => {
      assert.ok(error instanceof Error && !(error instanceof UnknownOutcomeError), String(error));
      assert.match(error.message, /can't be reached/);
      return true;
    });
    await clock.advance(0);
  });
});

describe('a server that is down', () => {
  it('does not delay the others, and is added when it is up', async (t) => {
    const server = await startHttpFixture(t, [aTool('a', () => '')]);
    const { url } = server;
    const gone: ServerSettings = {
      name: 'gone',
      reach: { kind: 'stdio', command: '/no/such/program', args: [], env: {} },
    };
    let isThere = false;
    const late = await startHttpFixture(t, []);
    const refuse = aTool('late', () => 'late');
    Object.defineProperty(late, 'tools', {
      get: () => {
        if (!isThere) throw new Error('Not yet.');
        return [refuse];
      },
    });
    const { clock, lines, tools } = await build(t, [
      gone,
      overHttp('here', { url }),
      overHttp('late', late),
    ]);
    assert.deepEqual(namesOf(tools), ['here__a']);
    assert.match(tools.servers()[0]?.problem ?? '', /ENOENT/);
    assert.ok(lines.some((line) => /"server":"gone".*goes on without it/.test(line)));
    isThere = true;
    await clock.advance(2_000);
    await until(() => namesOf(tools).includes('late__late'));
  });
});

describe('a server that does not respond', () => {
  it('does not prevent the app from stopping', async () => {
    const clock = createManualClock();
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    const args = ['-e', 'process.stdin.on("end", () => process.exit()).resume()'];
    const reach = { kind: 'stdio' as const, command: process.execPath, args, env: {} };
    const connection = createServerConnection(
      { name: 'mute', reach },
      { clock, log, onListChanged() {}, onQuestion: async () => ({ action: 'cancel' }) },
    );
    const opening = assert.rejects(connection.open(), /“mute” can't be reached/);
    await connection.close();
    await opening;
  });
});

describe('a question of a server', () => {
  const ASKED = {
    message: 'Which one?',
    requestedSchema: {
      type: 'object' as const,
      properties: { name: { type: 'string' as const, default: 'a' } },
      required: ['name'],
    },
  };

  it('reaches the requester of its call, and every kind of answer is returned', async (t) => {
    const server = await startHttpFixture(t, [
      aTool('ask', async (_args, { ask }) => JSON.stringify(await ask(ASKED))),
    ]);
    const questions: ServerQuestion[] = [];
    const answers: Awaited<ReturnType<AskPeople>>[] = [
      { kind: 'accept', content: { name: 'b' } },
      { kind: 'decline' },
      { kind: 'cancel' },
    ];
    const { clock, tools } = await build(t, [overHttp('box', server)], async (question) => {
      questions.push(question);
      return answers[questions.length - 1] ?? { kind: 'cancel' };
    });
    assert.match(await run(tools, 'box__ask'), /\{"action":"accept","content":\{"name":"b"\}\}/);
    assert.match(await run(tools, 'box__ask'), /\{"action":"decline"\}/);
    assert.match(await run(tools, 'box__ask'), /\{"action":"cancel"\}/);
    const [first] = questions;
    assert(first);
    assert.deepEqual(first.schema, { ...ASKED.requestedSchema, additionalProperties: false });
    assert.deepEqual(first.initial, { name: 'a' });
    assert.deepEqual([first.callId, first.server, first.message], ['call_1', 'box', 'Which one?']);
    assert.equal(first.deadlineAt, clock.now() + TOOL_TIMEOUT_MS);
  });

  it('is declined if calls of two people are running, and one call may ask at most five', async (t) => {
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const server = await startHttpFixture(t, [
      aTool('wait', async () => {
        await gate;
        return '';
      }),
      aTool('ask', async (_args, { ask }) => {
        const all: string[] = [];
        for (let i = 0; i < 7; i += 1) all.push((await ask(ASKED)).action);
        return all.join(' ');
      }),
    ]);
    const { tools } = await build(t, [overHttp('box', server)], async () => ({ kind: 'decline' }));
    const other = {
      ...contextOf(undefined, 'call_2'),
      requester: { ...REQUESTER, user: 'U0OTHER' },
    };
    const waiting = find(tools, 'box__wait').run({}, other);
    await until(() => server.methods.filter((method) => method === 'tools/call').length === 1);
    assert.match(await run(tools, 'box__ask'), /\n(cancel ?){7}\n/);
    open();
    await waiting;
    assert.match(await run(tools, 'box__ask'), /\n(decline ){5}cancel cancel\n/);
  });
});
