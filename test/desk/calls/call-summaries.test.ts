/** The summary of a call: made when an attempt begins, stored with it, and never a reason to delay it. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { z } from 'zod';
import { createToolbox } from '../../../src/agent/tools/create-toolbox.ts';
import { defineTool, type ToolDefinition } from '../../../src/agent/tools/define-tool.ts';
import { previewRun } from '../../../src/desk/calls/preview-call.ts';
import { isIntact } from '../../../src/domain/calls/seal.ts';
import { canonicalJson } from '../../../src/domain/json/json.ts';
import { type Gate, REQUESTER_ROUTE } from '../../../src/domain/policy/route.ts';
import { REQUESTER } from '../../support/builders/a-call.ts';
import { askAll, buildDesk } from '../../support/desk/build-desk.ts';
import { sayCalls, sayText } from '../../support/servers/mock-model.ts';
import { makeTempDir } from '../../support/temp-dir.ts';
import { onlyCall } from '../support/recorded-desk.ts';

const SCHEMA = z.object({ order: z.string(), cents: z.int() });
const ARGS = { order: 'A-1', cents: 8_000 };

type Summary = (args: never) => unknown;

async function deskWith(
  t: TestContext,
  summary: Summary,
  more: { readonly gate?: Gate; readonly definition?: Partial<ToolDefinition> } = {},
) {
  const warnings: object[] = [];
  const tool = {
    name: 'pay_back',
    description: 'Pays back.',
    schema: SCHEMA,
    run: () => 'Paid.',
    ...more.definition,
    summary,
  } as ToolDefinition;
  const log = {
    warn: (fields: object, message: string) => void warnings.push({ ...fields, message }),
  };
  const desk = await buildDesk(t, { tools: [tool], gate: more.gate ?? askAll(), log });
  desk.model.script((_request, index) =>
    index === 0 ? sayCalls([{ name: 'pay_back', args: JSON.stringify(ARGS) }]) : sayText('Done.'),
  );
  await desk.send('pay');
  return { desk, warnings };
}

const SAYS = ({ order, cents }: typeof ARGS) => `Pay back €${cents / 100} for ${order}`;

describe('the summary that a tool returns', () => {
  it('is stored under the seal, and made again for an edit', async (t) => {
    const { desk } = await deskWith(t, SAYS);
    const call = await onlyCall(desk);
    assert.equal(call.summary, 'Pay back €80 for A-1');
    assert.ok(isIntact(call));
    assert.equal(desk.chat.cards.get(call.id)?.summary, call.summary);
    const args = { ...ARGS, cents: 7_550 };
    await desk.decide(call, REQUESTER, { kind: 'edit', args });
    const edited = await onlyCall(desk);
    assert.equal(edited.summary, 'Pay back €75.5 for A-1');
    assert.equal(edited.status, 'succeeded');
  });

  it('holds nothing that the policy redacts', async (t) => {
    const gate: Gate = () => ({ kind: 'ask', route: REQUESTER_ROUTE, redact: ['order'] });
    const { desk } = await deskWith(t, ({ order }: typeof ARGS) => `Pay ${order} back`, {
      gate,
      definition: { schema: z.object({ order: z.string(), cents: z.int() }) },
    });
    const call = await onlyCall(desk);
    assert.deepEqual(call.redact, ['order']);
    assert.equal(call.summary, 'Pay back');
    await desk.decide(call, REQUESTER, { kind: 'edit', args: { order: 'B-2', cents: 1 } });
    const edited = await onlyCall(desk);
    assert.equal(edited.status, 'succeeded');
    assert.equal(edited.summary, 'Pay back: 1');
  });

  for (const [what, summary, told] of [
    [
      'throws',
      () => {
        throw new Error('no');
      },
      /failed/,
    ],
    ['rejects', () => Promise.reject(new Error('later')), /is not a string/],
    ['says no text', () => ({ toString: () => 'odd' }), /is not a string/],
    [
      'spoils its arguments',
      (args: { order: string }) => {
        args.order = 'spoilt';
      },
      undefined,
    ],
  ] as const) {
    it(`does not stop the call when the function ${what}`, async (t) => {
      const { desk, warnings } = await deskWith(t, summary as Summary);
      const call = await onlyCall(desk);
      assert.equal(call.summary, 'Pay back: A-1');
      await desk.decide(call, REQUESTER);
      assert.equal((await onlyCall(desk)).status, 'succeeded');
      assert.equal(warnings.length, told ? 1 : 0);
      if (told) assert.match(JSON.stringify(warnings), told);
    });
  }

  for (const [took, wanted] of [
    [[20], 'Pay at last'],
    [[75, 20], 'Pay at last'],
    [[21, 21], 'Pay back: A-1'],
  ] as const) {
    const what = wanted === 'Pay at last' ? 'taken' : 'passed over';
    it(`is ${what} when making it takes ${took.join(' ms, then ')} ms`, async () => {
      let now = 0;
      let asked = 0;
      const clock = { now: () => now, schedule: () => () => {} };
      const silent = () => {};
      const log = { debug: silent, info: silent, warn: silent, error: silent };
      const made = defineTool({
        name: 'pay_back',
        description: 'Pays back.',
        schema: SCHEMA,
        run: () => 'Paid.',
        summary() {
          now += took[asked] ?? assert.fail('asked too often');
          asked += 1;
          return 'Pay at last';
        },
      });
      assert.ok(made.kind === 'tool');
      const args = canonicalJson(ARGS);
      const call = { args, proposedArgs: args };
      const { summary } = await previewRun({ clock, log }, call, made.tool, ARGS);
      assert.equal(summary, wanted);
    });
  }
});

describe('the summaries of the built-in tools', () => {
  for (const [name, args, summary] of [
    ['write_file', { path: 'haiku.txt', content: 'one\n' }, 'Write haiku.txt'],
    ['edit_file', { path: 'a\nb', oldText: 'x', newText: 'y' }, 'Edit a\\nb'],
    ['delete_file', { path: 'a.txt' }, 'Delete a.txt'],
    ['read_file', { path: 'a.txt' }, 'Read a.txt'],
    ['list_files', {}, 'List the workspace'],
    ['task', { agent: 'research', prompt: '\nFind it.\nAll.' }, 'Ask research: Find it.'],
  ] as const) {
    it(`are plain: ${summary}`, async (t) => {
      const folder = await makeTempDir();
      t.after(() => folder.remove());
      const { toolbox } = createToolbox({ workspaceDir: folder.path });
      const desk = await buildDesk(t, { tools: [], made: toolbox.list(), gate: askAll() });
      desk.model.script((_request, index) =>
        index === 0 ? sayCalls([{ name, args: JSON.stringify(args) }]) : sayText('Done.'),
      );
      await desk.send('do it');
      assert.equal((await onlyCall(desk)).summary, summary);
    });
  }
});
