/** Programs get callbacks about their calls, without asking. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { ExternalRequest } from '../../../src/desk/external/external-request.ts';
import type { Approval } from '../../../src/domain/cards/approval-view.ts';
import type { ApiKey } from '../../../src/domain/people/api-key.ts';
import type { Callback, Callbacks } from '../../../src/domain/ports/callback.ts';
import { REQUESTER } from '../../support/builders/a-call.ts';
import { askAll, buildDesk, REPORT_MS, type TestDesk } from '../../support/desk/build-desk.ts';
import { until } from '../../support/until.ts';

const CALLER = { key: 'k1', name: 'deploy-bot', host: '203.0.113.7' };
const URL_OF = 'https://program.example/hook';
const ASKED: ExternalRequest = {
  tool: 'drop_table',
  args: { table: 'users' },
  channel: 'C1',
  requester: REQUESTER,
  callbackUrl: URL_OF,
  metadata: { build: 7 },
};
const HOUR = 3_600_000;

/** A program that accepts callbacks, except while it is `down`. */
function createProgram() {
  const got: (Approval & { readonly to: string })[] = [];
  const program = {
    got,
    isDown: false,
    tries: 0,
    problemOf: (url: string) => (url.startsWith('https:') ? undefined : 'has to be https'),
    async send({ body, key, url }: Callback): Promise<void> {
      program.tries += 1;
      if (program.isDown) throw new Error('program.example refused the connection.');
      got.push({ ...(JSON.parse(body) as Approval), to: `${key} ${url}` });
    },
  } satisfies Callbacks & Record<string, unknown>;
  return program;
}

async function build(t: TestContext) {
  const program = createProgram();
  const errors: string[] = [];
  const desk = await buildDesk(t, {
    tools: [],
    gate: askAll(),
    callbacks: program,
    log: { error: (_fields, message) => errors.push(message) },
  });
  return { desk, program, errors };
}

async function ask({ outside, rest }: TestDesk, more: Partial<ExternalRequest> = {}) {
  const made = await outside.request(CALLER, { ...ASKED, ...more });
  if (made.kind !== 'made') throw new Error(JSON.stringify(made));
  await rest();
  return made.call;
}

/** Runs every task that becomes due in this time. */
async function pass(desk: TestDesk, ms: number): Promise<void> {
  const until = desk.clock.now() + ms;
  for (;;) {
    await desk.rest();
    const dueAt = await desk.store.agenda.nextDueAt();
    if (dueAt === undefined || dueAt > until) break;
    await desk.clock.advance(Math.max(0, dueAt - desk.clock.now()));
  }
  await desk.clock.advance(until - desk.clock.now());
  await desk.rest();
}

const reply = { kind: 'reply', text: 'Not on a Friday.' } as const;

describe('a program with a callback address', () => {
  it('is told what people decide, in the same form as its approval', async (t) => {
    const { desk, program } = await build(t);
    const call = await ask(desk);
    assert.equal(program.got.length, 0);
    await desk.decide(call, REQUESTER);
    const [told, ...more] = program.got;
    assert.deepEqual(more, []);
    assert.equal(told?.to, `k1 ${URL_OF}`);
    const stored = await desk.store.ledger.get(call.id);
    assert.deepEqual(
      [told?.id, told?.status, told?.revision, told?.digest],
      [call.id, 'approved', stored?.revision, call.digest],
    );
    assert.deepEqual([told?.arguments, told?.metadata], [{ table: 'users' }, { build: 7 }]);
    assert.deepEqual([told?.approvedBy, told?.thread], [['U1'], null]);
    assert.deepEqual(told?.source, { kind: 'key', name: 'deploy-bot' });
    await desk.outside.take(call.id, CALLER, call.digest);
    await desk.outside.report(call.id, CALLER, { kind: 'result', text: 'Dropped.' });
    await pass(desk, HOUR);
    // It is not told about its own changes.
    assert.equal(program.got.length, 1);
  });

  it('is told about replies, ignores, withdrawals, expiry and unknown outcomes until they are settled', async (t) => {
    const { desk, program } = await build(t);
    const names = ['answered', 'ignored', 'cancelled', 'left', 'silent'];
    const calls = new Map<string, Awaited<ReturnType<typeof ask>>>();
    for (const name of names) calls.set(name, await ask(desk, { metadata: name }));
    const call = (name: string) => {
      const found = calls.get(name);
      assert.ok(found);
      return found;
    };
    await desk.decide(call('answered'), REQUESTER, reply);
    await desk.decide(call('ignored'), REQUESTER, { kind: 'ignore' });
    await desk.outside.cancel(call('cancelled').id, CALLER);
    await desk.decide(call('silent'), REQUESTER);
    await desk.outside.take(call('silent').id, CALLER, call('silent').digest);
    await pass(desk, REPORT_MS + 60_000);
    const unknown = await desk.store.ledger.get(call('silent').id);
    assert.equal(unknown?.status, 'unknown');
    const settled = { callId: call('silent').id, attempt: 1, by: REQUESTER };
    const digest = call('silent').digest.slice(0, 10);
    await desk.desk.settle({ ...settled, digest, finding: 'ran' });
    await pass(desk, 30 * HOUR);
    const heard = (name: string) =>
      program.got.filter(({ metadata }) => metadata === name).map(({ status }) => status);
    assert.deepEqual(Object.fromEntries(names.map((name) => [name, heard(name)])), {
      answered: ['replied'],
      ignored: ['ignored'],
      cancelled: ['withdrawn'],
      left: ['expired'],
      silent: ['approved', 'unknown', 'succeeded'],
    });
    const answered = program.got.find(({ metadata }) => metadata === 'answered');
    assert.deepEqual([answered?.reply, answered?.decidedBy], ['Not on a Friday.', 'U1']);
    assert.equal((await desk.store.ledger.get(call('answered').id))?.delivered, true);
  });

  it('gets retries until it accepts, with the current state, even after a restart; its call does not wait for them', async (t) => {
    const { desk, program } = await build(t);
    program.isDown = true;
    const call = await ask(desk);
    await desk.decide(call, REQUESTER);
    assert.equal(program.tries, 1);
    assert.equal((await desk.outside.take(call.id, CALLER, call.digest)).kind, 'taken');
    await pass(desk, REPORT_MS);
    assert.ok(program.tries > 3);
    await desk.restart();
    program.isDown = false;
    await pass(desk, HOUR);
    assert.deepEqual(
      program.got.map(({ status }) => status),
      ['unknown'],
    );
    assert.deepEqual(await desk.store.agenda.deadLetters(), []);
  });

  it('gets no more retries after two hours, which is visible, and a new callback at the next change', async (t) => {
    const { desk, program, errors } = await build(t);
    program.isDown = true;
    const call = await ask(desk);
    await desk.decide(call, REQUESTER);
    await pass(desk, 3 * HOUR);
    const parked = await desk.store.agenda.deadLetters();
    assert.deepEqual(
      parked.map(({ key, reason }) => [key.task, key.id, reason]),
      [['callback', call.id, 'program.example refused the connection.']],
    );
    assert.match(errors.join(), /Gave up a task/);
    assert.deepEqual(desk.chat.said, []);
    assert.equal((await desk.store.ledger.get(call.id))?.status, 'approved');
    program.isDown = false;
    await desk.outside.cancel(call.id, CALLER);
    await pass(desk, HOUR);
    assert.deepEqual(
      program.got.map(({ status }) => status),
      ['withdrawn'],
    );
  });

  it('that does not respond uses few slots: others get their callbacks, and all are delivered in the end', async (t) => {
    const { desk, program } = await build(t);
    const hung: (() => void)[] = [];
    const { send } = program;
    program.send = async (callback) => {
      if (callback.key === CALLER.key) await new Promise<void>((resolve) => hung.push(resolve));
      await send(callback);
    };
    const calls = [];
    for (let i = 0; i < 8; i += 1) {
      const caller = i < 7 ? CALLER : { key: 'k2', name: 'other' };
      const made = await desk.outside.request(caller, { ...ASKED, metadata: i });
      assert.ok(made.kind === 'made');
      calls.push(made.call);
    }
    for (const { attempt, digest, id } of calls) {
      const bound = { callId: id, attempt, digest: digest.slice(0, 10), by: REQUESTER };
      await desk.desk.decide({ ...bound, decision: { kind: 'ignore' } });
    }
    await until(() => program.got.length === 1);
    assert.deepEqual([program.got[0]?.metadata, hung.length], [7, 2]);
    for (let i = 0; i < 100 && program.got.length < 8; i += 1) {
      for (const resolve of hung.splice(0)) resolve();
      await desk.clock.advance(1_000);
    }
    assert.equal(new Set(program.got.map(({ id }) => id)).size, 8);
  });

  it('gets no callbacks after its key is revoked or has expired', async (t) => {
    const { desk, program } = await build(t);
    const { clock, store } = desk;
    const key = (id: string, more: Partial<ApiKey> = {}): ApiKey => ({
      ...{ id, name: id, hash: '', scopes: ['request'], channels: [], createdAt: 0, revision: 1 },
      ...more,
    });
    const keys = [
      key('open'),
      key('revoked', { revokedAt: clock.now() }),
      key('expired', { expiresAt: clock.now() }),
    ];
    for (const each of keys) {
      await store.keys.add(each, {});
      const made = await desk.outside.request({ key: each.id, name: each.id }, ASKED);
      assert.ok(made.kind === 'made');
      await desk.decide(made.call, REQUESTER, reply);
    }
    await pass(desk, 3 * HOUR);
    assert.deepEqual(
      program.got.map(({ source }) => source.name),
      ['open'],
    );
    assert.deepEqual([program.tries, await store.agenda.deadLetters()], [1, []]);
  });

  it('must name an allowed address and decisions that can be offered', async (t) => {
    const { desk, program } = await build(t);
    const fields = async (more: Partial<ExternalRequest>) => {
      const made = await desk.outside.request(CALLER, { ...ASKED, ...more });
      return made.kind === 'invalid' ? made.problems.map(({ path }) => path.join('.')) : made.kind;
    };
    assert.deepEqual(await fields({ callbackUrl: 'http://169.254.169.254/' }), ['callbackUrl']);
    for (const choices of [
      [],
      [''],
      ['a', 'a'],
      ['a\nb'],
      ['x'.repeat(201)],
      Array(21).fill('a'),
    ]) {
      assert.deepEqual(await fields({ choices }), ['choices'], JSON.stringify(choices));
    }
    assert.equal(await fields({ choices: ['yes', 'no'] }), 'made');
    assert.equal(program.tries, 0);
  });
});
