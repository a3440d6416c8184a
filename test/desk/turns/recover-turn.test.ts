/** Turns whose checkpoints are lost: they are rebuilt if possible, and otherwise end with a message. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { AttachmentSource } from '../../../src/domain/ports/file-ports.ts';
import { childThreadKey } from '../../../src/domain/threads/thread-key.ts';
import { REQUESTER, THREAD } from '../../support/builders/a-call.ts';
import { createRecordedTool, type RecordedTool } from '../../support/builders/recorded-tool.ts';
import { buildDesk, type TestDesk } from '../../support/desk/build-desk.ts';
import { playAgents, toldOf } from '../../support/desk/play-agents.ts';
import { type MockAnswer, sayCalls, sayText, withUsage } from '../../support/servers/mock-model.ts';
import { until } from '../../support/until.ts';
import { buildDelegationDesk, sayActs, task } from '../support/delegation-desk.ts';

const LOST = /^I ended this turn because the stored state of my work was lost\./;

const CHECKPOINTS = "records WHERE key LIKE 'checkpoint/%'";
/** Messages of turns in progress. */
const TURN_RECORDS = "records WHERE key LIKE 'turn-message/%'";

function lose({ store }: TestDesk, ...tables: readonly string[]): void {
  for (const from of [CHECKPOINTS, ...tables]) store.saver.db.exec(`DELETE FROM ${from}`);
}

interface Started {
  readonly desk: TestDesk;
  readonly tool: RecordedTool;
  decide(note: string, decision?: Parameters<TestDesk['decide']>[2]): Promise<unknown>;
  statuses(): Promise<readonly string[]>;
}

/** A desk whose model gives these answers, one for each request of the turn. */
async function start(
  t: TestContext,
  answers: readonly MockAnswer[],
  options: Partial<Parameters<typeof buildDesk>[1]> = {},
): Promise<Started> {
  const tool = createRecordedTool();
  const desk = await buildDesk(t, { tools: [tool.definition], ...options });
  desk.model.script(({ messages }) => {
    const turn = messages.slice(messages.findLastIndex(({ role }) => role === 'user'));
    const spoken = turn.filter(({ role }) => role === 'assistant').length;
    return answers[spoken] ?? sayText('All is done.');
  });
  return {
    desk,
    tool,
    async decide(note, decision) {
      const call = (await desk.calls()).find(({ args }) => args === JSON.stringify({ note }));
      assert.ok(call, `No call with ${note}.`);
      return await desk.decide(call, REQUESTER, decision);
    },
    statuses: async () => (await desk.calls()).map(({ status }) => status),
  };
}

async function settledOf(desk: TestDesk) {
  const [turn] = await desk.store.history.newest(THREAD, 1, 0);
  assert.ok(turn);
  return turn;
}

const textsOf = (desk: TestDesk) => desk.chat.said.map(({ text }) => text);

describe('a turn of which only the calls are stored', () => {
  const all = [TURN_RECORDS] as const;

  it('ends with a message; the model is not asked again, and later turns tell it what ran', async (t) => {
    const { desk, tool, decide, statuses } = await start(t, [sayActs('a')]);
    await desk.send('go');
    lose(desk, ...all);
    await decide('a');
    assert.deepEqual([tool.runs.length, await statuses()], [1, ['succeeded']]);
    assert.match(textsOf(desk).at(-1) ?? '', LOST);
    assert.equal(desk.model.requests.length, 1);
    const turn = await settledOf(desk);
    assert.match(turn.failure ?? '', LOST);
    assert.deepEqual(
      turn.messages.map(({ role, text }) => [role, text]),
      [
        ['user', 'go'],
        ['assistant', ''],
        ['tool', 'did a'],
        ['assistant', '(This ended here: the stored state of my work on it was lost.)'],
      ],
    );
    assert.deepEqual(await desk.store.inbox.threadsWithMessages(), []);
    desk.model.script(() => sayText('Yes.'));
    await desk.send('did it run?');
    assert.match(JSON.stringify(desk.model.requests.at(-1)?.messages), /did a/);
    assert.deepEqual(desk.model.refusals, []);
  });

  it('withdraws its pending calls once it is advanced, and lets running ones finish', async (t) => {
    const { desk, tool, decide, statuses } = await start(t, [sayActs('a', 'b', 'c')]);
    await desk.send('go');
    lose(desk, ...all);
    const release = tool.hold();
    const deciding = [decide('a'), decide('b', { kind: 'reply', text: 'no' })];
    await until(async () => (await statuses())[2] === 'withdrawn');
    assert.deepEqual(await desk.store.history.newest(THREAD, 1, 0), []);
    release();
    await Promise.all(deciding);
    assert.deepEqual(await statuses(), ['succeeded', 'replied', 'withdrawn']);
    assert.equal(tool.runs.length, 1);
    assert.equal(desk.model.requests.length, 1);
    assert.match((await settledOf(desk)).failure ?? '', LOST);
  });

  it('also ends if only a part of it was recorded, as by an older version', async (t) => {
    const { desk, decide } = await start(t, [sayActs('a'), sayActs('b')]);
    await desk.send('go');
    await decide('a');
    lose(desk, `${TURN_RECORDS} AND document ->> '$.position' < 2`);
    await decide('b');
    assert.match(textsOf(desk).at(-1) ?? '', LOST);
    assert.equal(desk.model.requests.length, 2);
    const { messages } = await settledOf(desk);
    assert.deepEqual(
      messages.filter(({ role }) => role === 'tool').map(({ text }) => text),
      ['did a', 'did b'],
    );
  });

  it('starts again if it has no calls yet', async (t) => {
    const { desk, tool, decide } = await start(t, [sayActs('a')]);
    let isFirst = true;
    desk.model.script(({ messages }) => {
      if (messages.some(({ role }) => role === 'tool')) return sayText('All is done.');
      if (!isFirst) return sayActs('a');
      isFirst = false;
      throw new Error('The model is away.');
    });
    await desk.send('go');
    lose(desk);
    await desk.send('go on');
    await decide('a');
    assert.deepEqual([tool.runs.length, textsOf(desk).at(-1)], [1, 'All is done.']);
  });
});

describe('a rebuilt turn', () => {
  it('has no records left when it is settled', async (t) => {
    const { desk, decide } = await start(t, [sayActs('a')]);
    await desk.send('go');
    const { id = '' } = (await desk.store.inbox.current(THREAD)) ?? {};
    assert.equal((await desk.store.turnRecords.ofTurn(THREAD, id)).length, 2);
    lose(desk);
    await decide('a');
    assert.equal(textsOf(desk).at(-1), 'All is done.');
    assert.deepEqual(await desk.store.turnRecords.ofTurn(THREAD, id), []);
  });

  it('is ended by an ignored call like any other: its siblings are withdrawn, and the model is not asked', async (t) => {
    const { desk, tool, decide, statuses } = await start(t, [sayActs('a', 'b')]);
    await desk.send('go');
    lose(desk);
    await decide('a', { kind: 'ignore' });
    assert.deepEqual([await statuses(), tool.runs], [['ignored', 'withdrawn'], []]);
    assert.equal(desk.model.requests.length, 1);
    const turn = await settledOf(desk);
    assert.deepEqual([turn.messages.length, turn.failure], [4, undefined]);
  });

  for (const tables of [[], [TURN_RECORDS]]) {
    const what = tables.length === 0 ? 'its checkpoints' : 'all but its calls';
    it(`can be stopped after it lost ${what}, and what it did stays known`, async (t) => {
      const { desk, decide, statuses } = await start(t, [sayActs('a'), sayActs('b')]);
      await desk.send('go');
      await decide('a');
      lose(desk, ...tables);
      await desk.send('stop');
      assert.deepEqual(await statuses(), ['succeeded', 'withdrawn']);
      assert.equal(desk.model.requests.length, 2);
      const turn = await settledOf(desk);
      const texts = turn.messages.map(({ text }) => text);
      assert.deepEqual(
        [texts[2], texts[4]],
        ['did a', 'Not run: a person stopped the work.'],
        JSON.stringify(texts),
      );
    });
  }

  it('handles a message that comes while its calls are pending', async (t) => {
    const { desk, statuses } = await start(t, [sayActs('a')]);
    await desk.send('go');
    lose(desk);
    await desk.send('rather do nothing');
    assert.deepEqual(await statuses(), ['replied']);
    assert.match(JSON.stringify(desk.model.requests.at(-1)), /rather do nothing/);
    assert.equal(textsOf(desk).at(-1), 'All is done.');
  });

  it('uses the stored message: attachments are not fetched again', async (t) => {
    const fetched: string[] = [];
    const source: AttachmentSource = {
      async fetch({ id }) {
        fetched.push(id);
        return { kind: 'bytes', bytes: Buffer.from('one\n') };
      },
    };
    const { desk, decide } = await start(t, [sayActs('a')], { source });
    const file = { id: 'F1', name: 'a.txt', mimeType: 'text/plain', size: 4 };
    await desk.send('go', REQUESTER, [file]);
    lose(desk);
    await decide('a');
    assert.deepEqual(fetched, ['F1']);
    const [before, after] = desk.model.requests.map(({ messages }) => messages[1]);
    assert.deepEqual(after, before);
    assert.match(JSON.stringify(after), /a\.txt/);
  });

  it('keeps its token usage', async (t) => {
    const used = (answer: MockAnswer, tokens: number) =>
      withUsage(answer, { prompt_tokens: tokens, completion_tokens: 1 });
    const { desk, decide } = await start(t, [
      used(sayActs('a'), 10),
      used(sayActs('b'), 200),
      used(sayText('All is done.'), 3_000),
    ]);
    await desk.send('go');
    await decide('a');
    lose(desk);
    await decide('b');
    const { usage } = await settledOf(desk);
    assert.deepEqual([usage?.requests, usage?.inputTokens, usage?.outputTokens], [3, 3_210, 3]);
  });

  it('keeps a model message that had only invalid calls, with the replies to them', async (t) => {
    const invalid = sayCalls([
      { id: 'x1', name: 'act', args: '{"note":' },
      { id: 'x2', name: 'no_such_tool', args: '{}' },
    ]);
    const { desk, decide } = await start(t, [invalid, sayActs('a')]);
    await desk.send('go');
    lose(desk);
    await decide('a');
    assert.equal(desk.model.requests.length, 3);
    const [, second, third] = desk.model.requests.map(({ messages }) => messages);
    assert.deepEqual(third?.slice(1, second?.length), second?.slice(1));
    assert.deepEqual(desk.model.refusals, []);
    assert.equal(textsOf(desk).at(-1), 'All is done.');
  });

  it('is rebuilt again if it is lost again', async (t) => {
    const { desk, tool, decide } = await start(t, [sayActs('a', 'b'), sayActs('c')]);
    await desk.send('go');
    for (const note of ['a', 'b', 'c']) {
      lose(desk);
      await decide(note);
    }
    assert.deepEqual(tool.runs.map(({ note }) => note).sort(), ['a', 'b', 'c']);
    assert.equal(desk.model.requests.length, 3);
    assert.equal(textsOf(desk).at(-1), 'All is done.');
  });

  it('can be a helper’s, or its parent’s', async (t) => {
    const { desk, tool, act, all, statuses } = await buildDelegationDesk(t);
    playAgents(desk.model, {
      'look at it': [sayCalls([task('scout', 'do A')]), sayText('It is done.')],
      'do A': [sayActs('a1'), sayActs('a2'), sayText('A is done.')],
    });
    await desk.send('look at it');
    const [parent] = await all();
    assert.ok(parent);
    for (const note of ['a1', 'a2']) {
      lose(desk);
      await desk.decide(await act(note), REQUESTER);
    }
    assert.deepEqual(
      tool.runs.map(({ note }) => note),
      ['a1', 'a2'],
    );
    assert.deepEqual(await statuses(), { 'do A': 'succeeded', a1: 'succeeded', a2: 'succeeded' });
    assert.equal(desk.model.requests.length, 5);
    assert.deepEqual(toldOf(desk.model, 'look at it'), ['A is done.']);
    assert.equal(textsOf(desk).at(-1), 'It is done.');
    assert.equal(
      (await desk.store.history.newest(childThreadKey(THREAD, parent.id), 1, 0)).length,
      1,
    );
  });

  it('that fails for a helper is reported to the parent', async (t) => {
    const { desk, act } = await buildDelegationDesk(t);
    playAgents(desk.model, {
      'look at it': [sayCalls([task('scout', 'do A')]), sayText('It is done.')],
      'do A': [sayActs('a1'), sayText('A is done.')],
    });
    await desk.send('look at it');
    lose(desk, `${TURN_RECORDS} AND key LIKE '%/call_%'`);
    await desk.decide(await act('a1'), REQUESTER);
    assert.match(
      toldOf(desk.model, 'look at it').join(),
      /ended without a final answer: I ended this turn/,
    );
    assert.equal(textsOf(desk).at(-1), 'It is done.');
  });
});
