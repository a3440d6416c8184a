/** The tools, called by the official MCP client over both transports, with a fake desk. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { Progress } from '@modelcontextprotocol/sdk/types.js';
import { createCountersign } from '../../src/client/countersign-client.ts';
import { runAgentCommand } from '../../src/commands/agent-commands.ts';
import { createApprovalServer } from '../../src/mcp/create-approval-server.ts';
import { answerPreToolUse } from '../../src/mcp/pre-tool-use.ts';
import { serveStdio } from '../../src/mcp/serve-stdio.ts';
import { createSystemClock } from '../../src/process/system-clock.ts';
import { startSmallDesk } from '../support/app/small-desk.ts';
import { caller, decided, type Told } from '../support/servers/mcp-caller.ts';
import { until } from '../support/until.ts';

const BASH = { tool_name: 'Bash', input: { command: 'rm -r build' }, tool_use_id: 'toolu_1' };

async function connect(t: TestContext) {
  const desk = await startSmallDesk(t);
  const api = createCountersign({ url: desk.url, key: desk.key, patience: 0.1 });
  const server = createApprovalServer(() => ({ api }), { channel: 'C9' });
  const client = new Client({ name: 'test', version: '1' });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.mcp.connect(far);
  await client.connect(near);
  t.after(() => server.close());
  return { desk, client, call: caller(client) };
}

describe('permission_prompt', () => {
  it('allows the input that people approved, and consumes the approval first', async (t) => {
    const { desk, call } = await connect(t);
    const edited = { command: 'rm -r build/tmp' };
    const change = { status: 'approved', arguments: edited, edited: true };
    const { text } = await decided(desk, call('permission_prompt', BASH), change);
    assert.deepEqual(JSON.parse(text), { behavior: 'allow', updatedInput: edited });
    assert.deepEqual(desk.asked.slice(-1), ['POST /consume']);
    assert.deepEqual(desk.bodies[0], {
      action: 'Bash',
      args: BASH.input,
      silent: true,
      channel: 'C9',
      metadata: { toolUseId: 'toolu_1' },
    });
  });

  it('denies with what a person wrote, and in all unclear cases', async (t) => {
    const { desk, call } = await connect(t);
    const ask = () => call('permission_prompt', BASH);
    const denied = async (calling: Promise<Told>) => {
      const { behavior, message, ...rest } = JSON.parse((await calling).text);
      assert.deepEqual([behavior, rest], ['deny', {}]);
      return message;
    };
    const replied = decided(desk, ask(), { status: 'replied', reply: 'Move it to the trash.' });
    assert.equal(await denied(replied), 'Move it to the trash.');
    assert.match(await denied(decided(desk, ask(), { status: 'ignored' })), /U1 said no/);
    assert.match(await denied(decided(desk, ask(), { status: 'expired' })), /not a no/);
    assert.match(await denied(decided(desk, ask(), { status: 'refused' })), /policy forbids/);
    assert.match(await denied(decided(desk, ask(), { status: 'yes' as never })), /not a valid/);
    desk.fail('/consume', 'drop-after');
    assert.match(await denied(decided(desk, ask(), { status: 'approved' })), /can't be reached/);
    desk.fail('/approvals', { status: 500 });
    assert.match(await denied(ask()), /can't be reached/);
    desk.revoke();
    assert.match(await denied(ask()), /opens nothing/);
  });
});

describe('request_approval', () => {
  const asked = { action: 'deploy', arguments: { to: 'prod' }, summary: 'Deploy' };
  it('reports that it waits, and returns the approved arguments, consumed for the agent', async (t) => {
    const { desk, call } = await connect(t);
    const progress: Progress[] = [];
    const calling = call('request_approval', asked, (each) => progress.push(each));
    const result = await decided(desk, calling, { status: 'approved' });
    assert.equal(progress[0]?.progress, 1);
    const [approval] = desk.approvals();
    assert.equal(progress[0]?.message, `Waiting for people to decide ${approval?.id} in Slack.`);
    const { next, idempotency_key, ...rest } = result.structured;
    assert.match(String(next), /run it now, once/);
    assert.deepEqual(rest, {
      decision: 'approved',
      approval_id: approval?.id,
      status: 'running',
      arguments: { to: 'prod' },
      edited: false,
      digest: approval?.digest,
      reply: null,
      reason: null,
      decided_by: 'U1',
      token: 'jws',
    });
    assert.deepEqual(JSON.parse(result.text), result.structured);
  });

  it('leaves consuming to others if asked to, and explains how', async (t) => {
    const { desk, call } = await connect(t);
    const calling = call('request_approval', { ...asked, consume: false });
    const { structured } = await decided(desk, calling, { status: 'approved' });
    assert.deepEqual([structured.decision, structured.status], ['approved', 'approved']);
    assert.match(String(structured.next), /\/consume/);
    const { silent, summary } = desk.bodies[0] as { silent?: boolean; summary?: string };
    assert.deepEqual([silent, summary], [undefined, 'Deploy']);
  });

  it('returns when its wait times out, and continues with its key', async (t) => {
    const { desk, call } = await connect(t);
    const first = await call('request_approval', { ...asked, wait_seconds: 0 });
    const { decision, idempotency_key, approval_id } = first.structured;
    assert.equal(decision, 'pending');
    const seen = await call('get_approval', { approval_id });
    assert.equal(seen.structured.decision, 'pending');
    await desk.decide({ status: 'approved' });
    const again = await call('request_approval', { ...asked, idempotency_key });
    assert.deepEqual(
      [again.structured.decision, again.structured.approval_id],
      ['approved', approval_id],
    );
    const third = await call('request_approval', { ...asked, idempotency_key });
    assert.equal(third.structured.decision, 'taken');
    assert.equal(desk.approvals().length, 1);
  });

  it('is not consumed while the desk refuses, and is with the next call', async (t) => {
    const { desk, call } = await connect(t);
    desk.fail('/consume', { status: 409 });
    const held = await decided(desk, call('request_approval', asked), { status: 'approved' });
    const { decision, idempotency_key, status } = held.structured;
    assert.deepEqual([decision, status], ['pending', 'approved']);
    const again = await call('request_approval', { ...asked, idempotency_key });
    assert.deepEqual([again.structured.decision, again.structured.status], ['approved', 'running']);
  });

  it('returns an error when the desk refuses or is unreachable', async (t) => {
    const { desk, call } = await connect(t);
    const unknown = await call('get_approval', { approval_id: 'call_none' });
    assert.deepEqual([unknown.isError, unknown.text], [true, 'There is no such approval.']);
    desk.fail('/approvals', 'drop');
    const { isError, text } = await call('request_approval', asked);
    assert.equal(isError, true);
    assert.match(text, /can't be reached/);
  });

  it('refuses unknown arguments', async (t) => {
    const { desk, call } = await connect(t);
    for (const more of [{ status: 'approved' }, { approved: true }, { approvers: ['U1'] }]) {
      const { isError, text } = await call('request_approval', { ...asked, ...more });
      assert.equal(isError, true);
      assert.match(text, /Unrecognized key/);
    }
    assert.equal(desk.approvals().length, 0);
  });

  it('withdraws the approval when the client cancels', async (t) => {
    const { desk, client } = await connect(t);
    const ending = new AbortController();
    const params = { name: 'request_approval', arguments: asked };
    const calling = client.callTool(params, undefined, { signal: ending.signal });
    await until(() => desk.approvals().length === 1, 5);
    ending.abort();
    await assert.rejects(calling);
    await until(() => desk.approvals()[0]?.status === 'withdrawn', 5);
  });
});

it('ask_human returns the answer, and annotations say which tools only read', async (t) => {
  const { desk, client, call } = await connect(t);
  const calling = call('ask_human', { question: 'Which?', choices: ['blue', 'green'] });
  const { structured } = await decided(desk, calling, { status: 'replied', reply: 'green' });
  assert.deepEqual([structured.decision, structured.reply], ['answered', 'green']);
  const { action, args, choices, decisions } = desk.bodies[0] as Record<string, unknown>;
  assert.deepEqual([action, args], ['ask_human', { question: 'Which?' }]);
  assert.deepEqual([choices, decisions], [['blue', 'green'], ['reply']]);
  const { tools } = await client.listTools();
  assert.deepEqual(
    tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint]),
    [
      ['request_approval', false],
      ['get_approval', true],
      ['ask_human', false],
      ['permission_prompt', false],
    ],
  );
});

it('over stdio it ends with its input, and withdraws pending approvals', async (t) => {
  const desk = await startSmallDesk(t);
  const api = createCountersign({ url: desk.url, key: desk.key });
  const [input, output] = [new PassThrough(), new PassThrough()];
  const { signal } = new AbortController();
  const serving = serveStdio({ api }, { defaults: {}, input, output, signal });
  const send = (message: object) =>
    input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const clientInfo = { name: 'test', version: '1' };
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
  send({ id: 1, method: 'initialize', params });
  assert.match(String(await once(output, 'data')), /"serverInfo"/);
  send({ method: 'notifications/initialized' });
  // In two pieces, as a pipe may deliver it.
  input.write('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"ask_human",');
  input.write('"arguments":{"question":"Shown?","question":"Asked?"}}}\n');
  const refused = JSON.parse(String(await once(output, 'data')));
  assert.equal(refused.id, 7);
  assert.match(refused.error.message, /"question" appears twice/);
  send({ id: 2, method: 'tools/call', params: { name: 'permission_prompt', arguments: BASH } });
  await until(() => desk.approvals().length === 1, 5);
  input.end();
  await serving;
  assert.equal(desk.approvals()[0]?.status, 'withdrawn');
});

it('the hook allows, denies, ignores other tools, and fails closed', async (t) => {
  const desk = await startSmallDesk(t);
  const api = createCountersign({ url: desk.url, key: desk.key, patience: 0.1 });
  const event = { session_id: 's1', cwd: '/work', hook_event_name: 'PreToolUse' };
  const asked = (tool_name = 'Bash') =>
    JSON.stringify({ ...event, tool_name, tool_input: BASH.input, tool_use_id: 'toolu_1' });
  const answer = (text: string) => answerPreToolUse(text, api, { tools: ['Bash', 'mcp__*'] }, {});
  const outputOf = async (answering: Promise<string>) =>
    JSON.parse(await answering).hookSpecificOutput;

  const allowing = answer(asked());
  const command = 'rm -r build/tmp';
  await desk.decide({ status: 'approved', arguments: { command } });
  assert.deepEqual(await outputOf(allowing), {
    hookEventName: 'PreToolUse',
    permissionDecision: 'allow',
    permissionDecisionReason: 'Approved in Slack.',
    updatedInput: { command },
  });
  assert.equal(desk.asked.at(-1), 'POST /consume');

  const denying = answer(asked('mcp__files__delete'));
  await until(() => desk.approvals().length === 2, 5);
  await desk.decide({ status: 'replied', reply: 'Ask me tomorrow.' });
  const denied = await outputOf(denying);
  assert.deepEqual(denied, {
    hookEventName: 'PreToolUse',
    permissionDecision: 'deny',
    permissionDecisionReason: 'Ask me tomorrow.',
  });

  assert.equal(await answer(asked('Read')), '');
  assert.equal(desk.approvals().length, 2);
  for (const [unread, why] of [
    ['{', /cut off/],
    [asked().replace('"tool_name"', '"tool_name":"Read","tool_name"'), /appears twice/],
    [asked().replace('"command"', '"__proto__":{},"command"'), /__proto__/],
  ] as const) {
    const { permissionDecision, permissionDecisionReason } = await outputOf(answer(unread));
    assert.equal(permissionDecision, 'deny');
    assert.match(permissionDecisionReason, why);
  }
  desk.fail('/approvals', 'drop');
  const closed = await outputOf(answer(asked()));
  assert.equal(closed.permissionDecision, 'deny');
  assert.match(closed.permissionDecisionReason, /can't be reached/);

  // An unset variable names no tool, and must let none run.
  const errors: string[] = [];
  const err = (text: string) => errors.push(text);
  const env = { COUNTERSIGN_URL: desk.url, COUNTERSIGN_API_KEY: desk.key };
  const beside = { env, err, isUnheard: false, clock: createSystemClock() };
  const { signal } = new AbortController();
  for (const tools of ['', ' ,']) {
    const input = Readable.from([asked()]);
    const streams = {
      input,
      output: new PassThrough(),
      isUnheard: false,
      clock: createSystemClock(),
    };
    assert.equal(
      await runAgentCommand('hook', ['--tools', tools], { ...beside, signal, ...streams }),
      2,
    );
    assert.match(errors.at(-1) ?? '', /--tools has (?:no value|an empty item)/);
  }

  // When it is stopped, it reports that the desk did not respond.
  const asksBefore = desk.asked.length;
  desk.fail('/approvals', ...Array.from({ length: 50 }, () => ({ status: 503 })));
  const ending = new AbortController();
  const output = new PassThrough();
  const running = runAgentCommand('hook', [], {
    ...beside,
    input: Readable.from([asked()]),
    output,
    signal: ending.signal,
  });
  await until(() => desk.asked.length > asksBefore, 5);
  ending.abort();
  assert.equal(await running, 2);
  assert.match(errors.at(-1) ?? '', /stopped before Countersign at .* answered/);
  assert.match(String(output.read()), /stopped before Countersign at .* answered/);
});
