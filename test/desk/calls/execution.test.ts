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

describe('running a call', () => {
  it('needs no person and shows no card when the gate says run', async (t) => {
    const { desk, tool } = await deskWith(t, { answer: () => ({ kind: 'run' }) });
    await desk.send('act');
    assert.equal(tool.runs.length, 1);
    assert.equal(desk.chat.cards.size, 0);
    assert.equal(desk.chat.said.at(-1)?.text, 'Done.');
  });

  it('shows the tool of an approved call in the thread status while it runs', async (t) => {
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

  it('does not happen when the gate refuses; the model gets the reason', async (t) => {
    const { desk, tool } = await deskWith(t, {
      answer: () => ({ kind: 'refuse', reason: 'The week is frozen.' }),
    });
    await desk.send('act');
    assert.equal(tool.runs.length, 0);
    assert.match(JSON.stringify(desk.model.requests.at(-1)), /The week is frozen/);
  });

  it('does not happen when the policy changed between the approval and the run', async (t) => {
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

  it('does not happen with stored arguments that differ from the approved ones', async (t) => {
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

  it('does not happen when the tool changes at the last moment; this raises no integrity alarm', async (t) => {
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
      // Only the claim looks up the approvers with retries, and it has read the arguments by then.
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

  it('tells the model why the tool failed, and the model continues', async (t) => {
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
    it(`succeeds when the tool returns ${what}, and tells the model what can be written as text`, async (t) => {
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

  it('fails, and does not stay running, when the thrown value has no text', async (t) => {
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

  it('stops at the timeout, and the outcome says so', async (t) => {
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

describe('an invalid call of the model', () => {
  it('is returned to the model and never becomes a card', async (t) => {
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

  it('does not affect a valid call beside it, which people still decide', async (t) => {
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
