import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Call } from '../../../src/domain/calls/call.ts';
import type { DecisionCommand } from '../../../src/domain/calls/decision.ts';
import type { Gate } from '../../../src/domain/policy/route.ts';
import { plainSentence } from '../../../src/domain/text/sentence.ts';
import { createLabAgent } from '../../crash/lab/lab-agent.ts';
import { APPROVER, OUTSIDER, REQUESTER, THREAD } from '../../support/builders/a-call.ts';
import { createTestDirectory } from '../../support/builders/a-directory.ts';
import { createRecordedTool } from '../../support/builders/recorded-tool.ts';
import { askAll, buildDesk, type TestDesk } from '../../support/desk/build-desk.ts';
import { sayCalls, sayText } from '../../support/servers/mock-model.ts';
import type { Passage } from '../../support/store/faulty-store.ts';
import { until } from '../../support/until.ts';

const ADMIN = APPROVER;

async function deskWith(t: TestContext, options: { gate?: Gate; stalled?: boolean } = {}) {
  const tool = createRecordedTool();
  const directory = createTestDirectory({ U2: { isAdmin: true } });
  const { gate = askAll(), stalled = false } = options;
  const desk = await buildDesk(t, { gate, tools: [tool.definition], directory, stalled });
  desk.model.script((_request, index) =>
    index === 0 ? sayCalls([{ name: 'act', args: '{"note":"a"}' }]) : sayText('Done.'),
  );
  return { desk, tool };
}

async function onlyCall(desk: TestDesk): Promise<Call> {
  const [call] = await desk.calls();
  assert.ok(call);
  return call;
}

async function pause(desk: TestDesk): Promise<void> {
  assert.equal((await desk.desk.pause(ADMIN)).kind, 'paused');
}

async function resume(desk: TestDesk): Promise<void> {
  assert.equal((await desk.desk.resume(ADMIN)).kind, 'resumed');
  await desk.worker.idle();
}

const notices = (desk: TestDesk) =>
  desk.chat.said.filter(({ kind }) => kind === 'notice').map(({ text }) => text);

describe('a pause', () => {
  it('prevents new turns; each waiting thread is told once, and continues by itself afterwards', async (t) => {
    const { desk } = await deskWith(t);
    desk.model.script(() => sayText('Hello.'));
    await pause(desk);
    await desk.send('hello');
    await desk.send('anybody there?');
    assert.equal(desk.model.requests.length, 0);
    assert.equal(notices(desk).length, 1);
    assert.match(
      notices(desk)[0] ?? '',
      /^Paused by U2 since \d.* UTC: nothing new runs\. This thread will continue when an admin resumes\.$/,
    );
    await resume(desk);
    assert.equal(desk.model.requests.length, 2);
    assert.equal(desk.chat.said.at(-1)?.text, 'Hello.');
  });

  it('is announced again at each later pause', async (t) => {
    const { desk } = await deskWith(t);
    for (const text of ['one', 'two']) {
      await pause(desk);
      await desk.send(text);
      await desk.clock.advance(1_000);
      await resume(desk);
    }
    assert.equal(notices(desk).length, 2);
  });

  it('prevents approvals, edits and opening their forms, and records nothing', async (t) => {
    const { desk, tool } = await deskWith(t);
    await desk.send('act');
    const call = await onlyCall(desk);
    await pause(desk);
    const decisions: readonly DecisionCommand['decision'][] = [
      { kind: 'approve' },
      { kind: 'edit', args: { note: 'b' } },
    ];
    for (const decision of decisions) {
      const outcome = await desk.decide(call, REQUESTER, decision);
      assert.ok(outcome.kind === 'not-allowed');
      assert.match(plainSentence(outcome.why), /^Paused by U2 since/);
    }
    const digest = call.digest.slice(0, 10);
    const shown = { callId: call.id, attempt: 1, digest, by: REQUESTER };
    for (const kind of ['approve', 'edit'] as const) {
      assert.equal((await desk.desk.checkDecision({ ...shown, kind })).kind, 'not-allowed');
    }
    assert.equal((await desk.desk.checkDecision({ ...shown, kind: 'reply' })).kind, 'open');
    assert.deepEqual(await onlyCall(desk), call);
    assert.deepEqual(tool.runs, []);
    await resume(desk);
    await desk.decide(call, REQUESTER);
    assert.equal(tool.runs.length, 1);
  });

  it('still allows ignore and reply; the agent hears about them afterwards', async (t) => {
    const { desk } = await deskWith(t);
    await desk.send('act');
    await pause(desk);
    const reply = { kind: 'reply', text: 'not like that' } as const;
    const outcome = await desk.decide(await onlyCall(desk), REQUESTER, reply);
    assert.equal(outcome.kind, 'decided');
    assert.equal(desk.model.requests.length, 1);
    await resume(desk);
    assert.match(JSON.stringify(desk.model.requests.at(-1)), /not like that/);
    assert.equal(desk.chat.said.at(-1)?.text, 'Done.');
  });

  it('lets an ignored call end its turn, because that does not ask the model', async (t) => {
    const { desk } = await deskWith(t);
    await desk.send('act');
    await pause(desk);
    const outcome = await desk.decide(await onlyCall(desk), REQUESTER, { kind: 'ignore' });
    assert.equal(outcome.kind, 'decided');
    assert.equal(await desk.store.inbox.current(THREAD), undefined);
    assert.equal(desk.model.requests.length, 1);
  });

  it('lets it end even if a write failed while the answers were recorded', async (t) => {
    let puts = 0;
    // It stores the message, the calls and the answers; the third write loses its connection.
    const passage: Passage = {
      async pass(point, call) {
        const result = await call();
        if (point === 'saver.put') puts += 1;
        if (point === 'saver.put' && puts === 3) throw new Error('The line is broken.');
        return result;
      },
    };
    const desk = await buildDesk(t, {
      tools: [createRecordedTool({ name: 'pay' }).definition],
      directory: createTestDirectory({ U2: { isAdmin: true } }),
      agentOf: async (store) => createLabAgent(new Map(), store, passage),
    });
    await desk.send('two');
    await pause(desk);
    await desk.decide(await onlyCall(desk), REQUESTER, { kind: 'ignore' });
    await desk.clock.advance(5_000);
    await desk.rest();
    assert.ok(puts > 3, 'It was cut off, and gone on with.');
    assert.equal(await desk.store.inbox.current(THREAD), undefined);
    const calls = await desk.calls();
    assert.deepEqual(calls.map(({ status }) => status).sort(), ['ignored', 'withdrawn']);
    assert.deepEqual(notices(desk), []);
  });

  for (const [who, isElsewhere] of [
    ['the process that got the click', false],
    ['the one that holds the thread', true],
  ] as const) {
    it(`stops the run when it comes between the last look at a call and its claim, where ${who} claims it`, async (t) => {
      const { desk, tool } = await deskWith(t);
      await desk.send('act');
      if (isElsewhere) t.mock.method(desk.store.agenda, 'openVisit', async () => undefined);
      const { ledger, pause: halt } = desk.store;
      const { write } = ledger;
      let isLate = false;
      t.mock.method(ledger, 'write', async (...args: Parameters<typeof write>) => {
        const claims = args[1].some(({ cause }) => cause === 'claim');
        if (claims && !isLate) {
          isLate = true;
          await halt.write({ by: ADMIN, at: desk.clock.now() }, {});
        }
        return await write(...args);
      });
      await desk.decide(await onlyCall(desk), REQUESTER);
      assert.ok(isLate);
      assert.deepEqual(tool.runs, []);
      assert.equal((await onlyCall(desk)).status, 'approved');
      await resume(desk);
      assert.equal(tool.runs.length, 1);
    });
  }

  it('stops calls that need no approval', async (t) => {
    const { desk, tool } = await deskWith(t, { gate: () => ({ kind: 'run' }) });
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    desk.model.script(async (_request, index) => {
      if (index > 0) return sayText('Done.');
      await held;
      return sayCalls([{ name: 'act', args: '{"note":"a"}' }]);
    });
    const sending = desk.send('act');
    await until(() => desk.model.requests.length === 1);
    await pause(desk);
    answer();
    await sending;
    assert.equal((await onlyCall(desk)).status, 'approved');
    assert.deepEqual(tool.runs, []);
    await resume(desk);
    assert.equal(tool.runs.length, 1);
    assert.equal(desk.chat.said.at(-1)?.text, 'Done.');
  });

  it('lets a running tool finish, and asks the model afterwards', async (t) => {
    const { desk, tool } = await deskWith(t);
    const release = tool.hold();
    await desk.send('act');
    const deciding = desk.decide(await onlyCall(desk), REQUESTER);
    await until(() => tool.runs.length === 1);
    await pause(desk);
    release();
    await deciding;
    assert.equal((await onlyCall(desk)).status, 'succeeded');
    assert.equal(desk.model.requests.length, 1);
    assert.equal(notices(desk).length, 1);
    await resume(desk);
    assert.equal(desk.chat.said.at(-1)?.text, 'Done.');
  });

  it('prevents a call with an unknown outcome from running again', async (t) => {
    const { desk, tool } = await deskWith(t, { stalled: true });
    const release = tool.hold();
    await desk.send('act');
    const deciding = desk.decide(await onlyCall(desk), REQUESTER);
    await until(() => tool.runs.length === 1);
    await desk.clock.advance(31_000);
    await desk.takeOver().idle();
    await pause(desk);
    const call = await onlyCall(desk);
    const digest = call.digest.slice(0, 10);
    const settle = { callId: call.id, attempt: 1, digest, by: REQUESTER } as const;
    const rerun = await desk.desk.settle({ ...settle, finding: 'rerun' });
    assert.ok(rerun.kind === 'not-allowed');
    assert.match(plainSentence(rerun.why), /Paused/);
    assert.equal((await onlyCall(desk)).status, 'unknown');
    assert.equal((await desk.desk.settle({ ...settle, finding: 'ran' })).kind, 'decided');
    release();
    await deciding;
    await desk.worker.idle();
  });

  it('does not prevent people from stopping a turn', async (t) => {
    const { desk } = await deskWith(t);
    await pause(desk);
    await desk.send('act');
    await desk.send('stop');
    assert.equal(desk.model.requests.length, 0);
    assert.equal(await desk.store.inbox.current(THREAD), undefined);
    await resume(desk);
    assert.equal(desk.model.requests.length, 0);
  });
});

describe('pausing and resuming', () => {
  it('is for admins, and both are audited', async (t) => {
    const { desk } = await deskWith(t);
    for (const outcome of [await desk.desk.pause(OUTSIDER), await desk.desk.resume(OUTSIDER)]) {
      assert.ok(outcome.kind === 'not-allowed');
      assert.match(outcome.sentence, /Only workspace admins.*ADMIN_USERS/);
    }
    assert.equal(await desk.store.pause.read(), undefined);
    await pause(desk);
    await resume(desk);
    const entries = await desk.store.audit.read(1, 100);
    assert.deepEqual(
      entries.map(({ event, actor }) => [event, actor]),
      [
        ['control.not-allowed', 'T1/U9'],
        ['control.not-allowed', 'T1/U9'],
        ['app.pause', 'T1/U2'],
        ['app.resume', 'T1/U2'],
      ],
    );
  });

  it('twice changes nothing, and reports the current state', async (t) => {
    const { desk } = await deskWith(t);
    assert.deepEqual(await desk.desk.resume(ADMIN), { kind: 'not-paused' });
    await pause(desk);
    const stands = await desk.store.pause.read();
    await desk.clock.advance(1_000);
    assert.deepEqual(await desk.desk.pause(ADMIN), { kind: 'already-paused', pause: stands });
  });
});
