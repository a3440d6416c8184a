import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { type GateAnswer, REQUESTER_ROUTE } from '../../../src/domain/policy/route.ts';
import { plainSentence } from '../../../src/domain/text/sentence.ts';
import type { Tool } from '../../../src/domain/tools/tool.ts';
import { REQUESTER } from '../../support/builders/a-call.ts';
import { createTestDirectory } from '../../support/builders/a-directory.ts';
import { buildDesk, TOOL_TIMEOUT_MS } from '../../support/desk/build-desk.ts';
import { sayCalls, sayText } from '../../support/servers/mock-model.ts';
import { until } from '../../support/until.ts';
import { deskWith, onlyCall } from '../support/recorded-desk.ts';

describe('a run', () => {
  it('of a call that the gate lets run needs nobody and shows no card', async (t) => {
    const { desk, tool } = await deskWith(t, { answer: () => ({ kind: 'run' }) });
    await desk.send('act');
    assert.equal(tool.runs.length, 1);
    assert.equal(desk.chat.cards.size, 0);
    assert.equal(desk.chat.said.at(-1)?.text, 'Done.');
  });

  it('of an approved call is told in the status line while it lasts, in place of the wait for people', async (t) => {
    const { desk, tool } = await deskWith(t);
    await desk.send('act');
    assert.equal(desk.chat.statuses.at(-1), 'is waiting for a decision on the card');
    const release = tool.hold();
    const deciding = desk.decide(await onlyCall(desk), REQUESTER);
    await until(() => desk.chat.statuses.at(-1) === 'is running act…');
    release();
    await deciding;
    assert.equal(desk.chat.statuses.at(-1), '');
  });

  it('never happens when the gate refuses, and the model is told why', async (t) => {
    const { desk, tool } = await deskWith(t, {
      answer: () => ({ kind: 'refuse', reason: 'The week is frozen.' }),
    });
    await desk.send('act');
    assert.equal(tool.runs.length, 0);
    assert.match(JSON.stringify(desk.model.requests.at(-1)), /The week is frozen/);
  });

  it('never happens when the policy has changed between the approval and the run', async (t) => {
    const answers: GateAnswer[] = [
      { kind: 'ask', route: REQUESTER_ROUTE },
      { kind: 'refuse', reason: 'Frozen now.' },
    ];
    const last: GateAnswer = { kind: 'refuse', reason: 'Frozen now.' };
    const { desk, tool } = await deskWith(t, { answer: () => answers.shift() ?? last });
    await desk.send('act');
    await desk.decide(await onlyCall(desk), REQUESTER);
    assert.equal(tool.runs.length, 0);
    assert.equal((await onlyCall(desk)).status, 'refused');
  });

  it('never happens with stored arguments other than those that were approved', async (t) => {
    const { desk, tool } = await deskWith(t);
    await desk.send('act');
    const call = await onlyCall(desk);
    const tampered = { ...call, args: '{"note":"b"}', revision: call.revision + 1 };
    await desk.store.ledger.write(call, [{ cause: 'vote', call: tampered }], {});
    await desk.decide(tampered, REQUESTER);
    assert.equal(tool.runs.length, 0);
    assert.match(plainSentence((await onlyCall(desk)).note ?? ''), /integrity_error/);
    assert.match(JSON.stringify(desk.model.requests.at(-1)), /had been changed/);
  });

  it('never happens when the tool changes in the last moment, and nobody is told of a changed database', async (t) => {
    let isChanged = false;
    const tool: Tool = {
      ...{ name: 'act', description: 'Acts.', schema: { type: 'object' }, secrets: [] },
      ...{ schemaHash: 'a'.repeat(64), risk: 'medium', idempotent: false },
      parse: (value) =>
        isChanged
          ? { ok: false, problems: [] }
          : { ok: true, value, canonical: JSON.stringify(value) },
      run: async () => assert.fail('It ran.'),
    };
    const directory = createTestDirectory();
    const ask = directory.profileOf;
    directory.profileOf = async (person, asking) => {
      // The claim, which has read the arguments by then, asks patiently who has approved.
      if (asking?.mayWaitForLimit) isChanged = true;
      return await ask(person, asking);
    };
    const desk = await buildDesk(t, { tools: [], made: [tool], directory });
    desk.model.script((_request, index) =>
      index === 0 ? sayCalls([{ name: 'act', args: '{}' }]) : sayText('Done.'),
    );
    await desk.send('act');
    await desk.decide(await onlyCall(desk), REQUESTER);
    assert.deepEqual((await onlyCall(desk)).outcome, {
      kind: 'error',
      text: 'Not run: the tool “act” has changed since it was approved, or is no longer there.',
    });
    assert.equal(desk.integrity.count(), 0);
  });

  it('that fails is told to the model with its reason, and the model may go on', async (t) => {
    const { desk, tool } = await deskWith(t);
    tool.failWith('no such account');
    await desk.send('act');
    await desk.decide(await onlyCall(desk), REQUESTER);
    assert.equal((await onlyCall(desk)).status, 'failed');
    assert.match(
      JSON.stringify(desk.model.requests.at(-1)),
      /no such account.*correct the arguments/,
    );
    assert.equal(desk.chat.said.at(-1)?.text, 'Done.');
  });

  const circle: Record<string, unknown> = { id: 5n, tags: new Set(['paid']) };
  const returned: readonly (readonly [string, () => unknown, RegExp])[] = [
    ['a number beyond JSON', () => ({ id: 5n }), /"id": "5"/],
    ['a set', () => ({ tags: new Set(['paid']) }), /"paid"/],
    ['what holds itself', () => Object.assign(circle, { me: circle }), /object Object/],
    ['a function', () => () => 'later', /later/],
    ['a symbol', () => Symbol('done'), /Symbol\(done\)/],
    ['half of a character', () => 'a\ud83d', /^a\ufffd$/],
    [
      'more than is told, cut within a character',
      () => `${'x'.repeat(29_999)}\u{1f600}${'y'.repeat(60_000)}`,
      /x\ufffd\n\[… 30001 characters/,
    ],
  ];
  for (const [what, run, told] of returned) {
    it(`that returns ${what} has run, and the model is told what it can be told`, async (t) => {
      const schema = z.object({});
      const tools = [{ name: 'act', description: 'Acts.', schema, run: run as () => string }];
      const desk = await buildDesk(t, { gate: () => ({ kind: 'run' }), tools });
      desk.model.script((_request, index) =>
        index === 0 ? sayCalls([{ name: 'act', args: '{}' }]) : sayText('Done.'),
      );
      await desk.send('act');
      const { outcome } = await onlyCall(desk);
      assert(outcome?.kind === 'result', JSON.stringify(outcome));
      assert.match(outcome.text, told);
      assert.deepEqual(desk.model.refusals, []);
      assert.equal(desk.chat.said.at(-1)?.text, 'Done.');
    });
  }

  it('that throws what no text can be made of has failed, and is not left running', async (t) => {
    const desk = await buildDesk(t, {
      gate: () => ({ kind: 'run' }),
      tools: [
        {
          name: 'act',
          description: 'Acts.',
          schema: z.object({}),
          run: () => {
            throw Object.create(null);
          },
        },
      ],
    });
    desk.model.script((_request, index) =>
      index === 0 ? sayCalls([{ name: 'act', args: '{}' }]) : sayText('Done.'),
    );
    await desk.send('act');
    assert.equal((await onlyCall(desk)).status, 'failed');
    assert.match(JSON.stringify(desk.model.requests.at(-1)), /act failed: no reason given/);
    assert.equal(desk.chat.said.at(-1)?.text, 'Done.');
  });

  it('that takes too long is stopped, and said to have been', async (t) => {
    const { desk, tool } = await deskWith(t);
    const release = tool.hold();
    await desk.send('act');
    const deciding = desk.decide(await onlyCall(desk), REQUESTER);
    await until(() => tool.runs.length === 1);
    await desk.clock.advance(TOOL_TIMEOUT_MS);
    await deciding;
    assert.equal((await onlyCall(desk)).status, 'failed');
    assert.match(JSON.stringify(desk.model.requests.at(-1)), /took longer than 60 s/);
    release();
  });
});

describe('what the model gets wrong', () => {
  it('in a call goes back to it, and never becomes a card', async (t) => {
    const { desk, tool } = await deskWith(t);
    const wrong = [
      { name: 'act', args: '{"note":' },
      { name: 'act', args: '{"note":1}' },
      { name: 'act', args: '{"note":"a","note":"b"}' },
      { name: 'nothing', args: '{}' },
    ];
    desk.model.script((_request, index) => (index === 0 ? sayCalls(wrong) : sayText('Sorry.')));
    await desk.send('act');
    assert.equal((await desk.calls()).length, 0);
    assert.equal(desk.chat.cards.size, 0);
    assert.equal(tool.runs.length, 0);
    const prompt = JSON.stringify(desk.model.requests.at(-1)?.messages);
    for (const why of ['not valid JSON', 'do not fit its schema', 'there is no tool']) {
      assert.ok(prompt.includes(why), why);
    }
    assert.equal(desk.chat.said.at(-1)?.text, 'Sorry.');
  });

  it('beside a right call leaves that one to people', async (t) => {
    const { desk, tool } = await deskWith(t);
    desk.model.script((_request, index) =>
      index === 0
        ? sayCalls([
            { name: 'nothing', args: '{}' },
            { name: 'act', args: '{"note":"a"}' },
          ])
        : sayText('Done.'),
    );
    await desk.send('act');
    assert.equal(desk.model.requests.length, 1);
    await desk.decide(await onlyCall(desk), REQUESTER);
    assert.equal(tool.runs.length, 1);
    assert.deepEqual(desk.model.refusals, []);
  });
});
