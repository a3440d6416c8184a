import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Person } from '../../../src/domain/people/person.ts';
import { threadKey } from '../../../src/domain/threads/thread-key.ts';
import { APPROVER, REQUESTER, THREAD } from '../../support/builders/a-call.ts';
import { createRecordedTool } from '../../support/builders/recorded-tool.ts';
import { askAll, buildDesk } from '../../support/desk/build-desk.ts';
import { sayCalls, sayText } from '../../support/servers/mock-model.ts';
import { type StoreKind, storeOf } from '../../support/store/open-redis.ts';

const MOST = 3;

/** A desk whose agent makes as many calls as the message says, and repeats what it was told about them. */
async function cappedDesk(t: TestContext, kind: StoreKind = 'SQLite') {
  const opened = await storeOf(t, kind);
  const tool = createRecordedTool();
  const desk = await buildDesk(t, {
    gate: askAll({ approvers: ['user:U2'] }),
    tools: [tool.definition],
    maxPendingPerPerson: MOST,
    ...(opened.openStore && { openStore: opened.openStore }),
  });
  opened.stop();
  desk.model.script(({ messages }) => {
    const last = messages.at(-1);
    const wanted = last?.role === 'user' ? Number.parseInt(String(last.content), 10) : 0;
    const calls = Array.from({ length: wanted || 0 }, (_each, i) => ({
      name: 'act',
      args: `{"note":"${i}"}`,
    }));
    return calls.length > 0 ? sayCalls(calls) : sayText('As you say.');
  });
  return {
    desk,
    tool,
    /** Starts threads at the same time, and waits until the desk is idle. */
    async begin(texts: readonly string[], by: Person = REQUESTER, from = 1): Promise<void> {
      const messages = texts.map((text, i) => {
        const ts = `17000000${10 + from + i}.000100`;
        const thread = threadKey({ team: 'T1', channel: 'C1', ts });
        const receivedAt = desk.clock.now();
        return { id: `T1/C1/${ts}`, thread, author: by, ts, text, receivedAt };
      });
      await Promise.all(messages.map((message) => desk.desk.receive(message)));
      desk.worker.nudge();
      await desk.worker.idle();
    },
  };
}

describe('the limit of pending calls per person', () => {
  it('shows no more calls of a batch than the limit, and tells the agent to wait for those', async (t) => {
    const { desk, tool } = await cappedDesk(t);
    await desk.send('5 please');
    const calls = await desk.calls();
    assert.deepEqual(
      calls.map(({ status }) => status),
      ['pending', 'pending', 'pending', 'refused', 'refused'],
    );
    assert.equal(desk.chat.cards.size, MOST);
    for (const call of calls.slice(0, MOST)) await desk.decide(call, APPROVER);
    assert.equal(tool.runs.length, MOST);
    const heard = desk.model.requests.at(-1)?.messages.map(({ content }) => String(content));
    assert.equal(
      heard?.filter((text) => /3 calls of U1 are already waiting for decisions/.test(text)).length,
      2,
    );
    assert.match(
      heard?.at(-1) ?? '',
      /None of those was lost.*not denied.*continue when those are/,
    );
    const refused = (await desk.store.audit.read(1, 100)).filter(
      ({ detail, event }) => event === 'call.gate' && detail.to === 'refused',
    );
    assert.deepEqual(
      refused.map(({ detail, subject }) => [subject, detail.rule]),
      calls.slice(MOST).map(({ id }) => [id, 'the limit of 3 waiting calls per person']),
    );
    await desk.clock.advance(1_000);
    await desk.send('2 more');
    assert.deepEqual(
      (await desk.calls()).slice(5).map(({ status }) => status),
      ['pending', 'pending'],
    );
  });

  it('counts the calls of one person in all threads, and nobody else’s', async (t) => {
    const { begin, desk } = await cappedDesk(t);
    await begin(['2 please']);
    await begin(['2 please'], APPROVER, 2);
    await begin(['2 please'], REQUESTER, 3);
    const { ledger } = desk.store;
    assert.equal(await ledger.countPending(REQUESTER), MOST);
    assert.equal(await ledger.countPending(APPROVER), 2);
  });

  for (const kind of ['SQLite', 'Redis'] as const) {
    it(`is exceeded on ${kind} by at most one call for each thread that proposes at the same moment`, async (t) => {
      const { begin, desk } = await cappedDesk(t, kind);
      const threads = 8;
      await begin(Array.from({ length: threads }, () => '4 please'));
      const pending = await desk.store.ledger.countPending(REQUESTER);
      assert.ok(pending >= MOST && pending < MOST + threads, `${pending} wait`);
      assert.equal((await desk.store.ledger.withStatus('refused')).length, 4 * threads - pending);
      await desk.send('4 more');
      const later = await desk.store.ledger.ofThread(THREAD);
      assert.deepEqual([...new Set(later.map(({ status }) => status))], ['refused']);
    });
  }
});
