/** Field reports about values of calls: from the model's text over card and form to the run. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { z } from 'zod';
import { z as z3 } from 'zod/v3';
import { createToolbox } from '../../../src/agent/tools/create-toolbox.ts';
import {
  type ArgsSchema,
  defineTool,
  type ToolDefinition,
} from '../../../src/agent/tools/define-tool.ts';
import { shortDigest } from '../../../src/domain/calls/digest.ts';
import { canonicalJson, type JsonValue } from '../../../src/domain/json/json.ts';
import { buildCallCard } from '../../../src/slack/cards/call-card.ts';
import { buildFullView } from '../../../src/slack/forms/draw/full-view.ts';
import { nodesOf } from '../../../src/slack/forms/plan/form-node.ts';
import { actionIds, dataTexts, outsideData } from '../../support/app/unrender-card.ts';
import { aCall, REQUESTER } from '../../support/builders/a-call.ts';
import { buildDesk } from '../../support/desk/build-desk.ts';
import { sayCalls, sayText } from '../../support/servers/mock-model.ts';
import { makeTempDir } from '../../support/temp-dir.ts';
import { TEST_MARK } from '../../support/test-secret-mark.ts';
import { argsOf, fillForm, inputsOf, problemsOf } from './fill-form.ts';

function toolOf(schema: ArgsSchema, more: Partial<ToolDefinition> = {}) {
  const made = defineTool({ name: 'act', description: 'Acts.', schema, run: () => 'ok', ...more });
  assert.ok(made.kind === 'tool', JSON.stringify(made));
  return made.tool;
}

/** A desk whose model proposes calls with these argument texts in turn, with its runs and logs. */
async function deskAsking(t: TestContext, tool: ToolDefinition, texts: readonly string[]) {
  const logged: unknown[] = [];
  const log = (...entry: unknown[]) => void logged.push(entry);
  const desk = await buildDesk(t, {
    tools: [tool],
    log: { debug: log, info: log, warn: log, error: log },
  });
  desk.model.script((_request, index) => {
    const args = texts[index];
    return args === undefined ? sayText('Done.') : sayCalls([{ name: tool.name, args }]);
  });
  await desk.send('act');
  const last = async () => {
    const call = (await desk.calls()).at(-1);
    assert.ok(call);
    return call;
  };
  return { desk, logged, last };
}

function cardOf(args: JsonValue) {
  const call = aCall({ args: canonicalJson(args), askedLine: '' });
  return { call, card: buildCallCard(call, { mark: TEST_MARK }) };
}

describe('values from field reports', () => {
  it('a secret is in no card, notification, form, log or error; an edit of another field keeps it, and it runs unchanged', async (t) => {
    const args = {
      apiKey: 'k-000',
      body: 'ok',
      headers: { Authorization: 'Bearer test-not-real-123' },
    };
    const runs: unknown[] = [];
    const definition: ToolDefinition = {
      name: 'post',
      description: 'Posts.',
      schema: z.object({
        headers: z.object({ Authorization: z.string() }),
        body: z.string(),
        apiKey: z.string(),
      }),
      secrets: ['headers.Authorization', 'apiKey'],
      run(given) {
        runs.push(given);
        throw new Error('403 for k-000 with Bearer test-not-real-123');
      },
    };
    const { desk, logged, last } = await deskAsking(t, definition, [JSON.stringify(args)]);
    const tool = toolOf(definition.schema, definition);
    const waiting = await last();
    const filled = fillForm(args, tool, { body: 'better' });
    await desk.decide(waiting, REQUESTER, { kind: 'edit', args: argsOf(filled) });
    const failed = await last();
    assert.deepEqual([failed.status, runs], ['failed', [{ ...args, body: 'better' }]]);
    const context = { page: 1, tool, mayApprove: true, mark: TEST_MARK };
    const cards = [waiting, failed].map((call) => buildCallCard(call, context));
    const views = [waiting, failed].map((call) => buildFullView(call, context));
    const audit = await desk.store.audit.read(1, 1_000);
    const all = JSON.stringify([views, cards, filled.views, logged, audit]);
    assert.doesNotMatch(all, /k-000|test-not-real/);
    assert.match(JSON.stringify(views[1]), /403 for ⟨hidden/);
  });

  it('values that JSON would change silently are refused before a card exists, or stay unchanged', async (t) => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    const odd: readonly unknown[] = [
      new Date(0),
      Number.NaN,
      Number.POSITIVE_INFINITY,
      1n,
      new Map([[1, 2]]),
      new Set([1]),
      Buffer.from('x'),
      'half \ud800',
      new URL('https://a.example'),
      circle,
    ];
    for (const value of odd) {
      const tool = toolOf(z.looseObject({}));
      const parsed = tool.parse({ v: value as JsonValue });
      assert.ok(!parsed.ok, String(value));
    }
    const kept = { long: 'x'.repeat(200_000), none: null, small: 1e-7, wide: 'ẞ 😀 é é' };
    const runs: unknown[] = [];
    const definition: ToolDefinition = {
      name: 'keep',
      description: 'Keeps.',
      schema: z.looseObject({}),
      run: (given) => void runs.push(given),
    };
    const texts = ['{"v":"\\ud800"}', '{"v":NaN}', JSON.stringify({ v: 'x'.repeat(1_000_000) })];
    const asked = await deskAsking(t, definition, [...texts, JSON.stringify(kept)]);
    assert.equal((await asked.desk.calls()).length, 1, 'only the last one came to be a call');
    await asked.desk.decide(await asked.last(), REQUESTER);
    assert.equal(canonicalJson(runs[0] as JsonValue), canonicalJson(kept));
  });

  it('a number that would lose digits is returned to the model; as a string it survives an edit of another field', async (t) => {
    const runs: unknown[] = [];
    const definition: ToolDefinition = {
      name: 'close',
      description: 'Closes a ticket.',
      schema: z.object({
        ticket: z.union([z.string(), z.number()]),
        amt: z.number(),
        note: z.string(),
      }),
      run: (given) => void runs.push(given),
    };
    const exact = { amt: 0.1, note: 'a', ticket: '2512292042121000001' };
    const { desk, last } = await deskAsking(t, definition, [
      '{"ticket": 2512292042121000001, "amt": 0.1, "note": "a"}',
      '{"ticket": "1", "amt": 1e400, "note": "a"}',
      JSON.stringify(exact),
    ]);
    assert.equal((await desk.calls()).length, 1);
    assert.match(JSON.stringify(desk.model.requests.at(-1)), /would lose digits/);
    const call = await last();
    const { blocks } = buildCallCard(call, { mark: TEST_MARK });
    for (const text of ['"2512292042121000001"', '0.1'])
      assert.ok(dataTexts(blocks).includes(text));
    const args = argsOf(fillForm(exact, toolOf(definition.schema), { note: 'b' }));
    await desk.decide(call, REQUESTER, { kind: 'edit', args });
    assert.deepEqual(runs, [{ ...exact, note: 'b' }]);
  });

  it('a tool that JSON can’t express is left out by name, and all others work with the right form', async (t) => {
    const folder = await makeTempDir();
    t.after(() => folder.remove());
    interface Tree {
      readonly name: string;
      readonly children: readonly Tree[];
    }
    const tree: z.ZodType<Tree> = z.lazy(() =>
      z.object({ name: z.string(), children: z.array(tree) }),
    );
    const schemas: Readonly<Record<string, ArgsSchema>> = {
      date: z.object({ v: z.date() }),
      transform: z.object({ v: z.string().transform(Number) }),
      bigint: z.object({ v: z.bigint() }),
      three: z3.object({ v: z3.string() }),
      lazy: z.object({ v: tree }),
      both: z.object({
        v: z.intersection(z.object({ a: z.string() }), z.object({ b: z.number() })),
      }),
      tuple: z.object({ v: z.tuple([z.string(), z.number()]) }),
      any: z.object({ v: z.any() }),
      filled: z.object({ v: z.string().default('x') }),
    };
    const values: Readonly<Record<string, JsonValue>> = {
      three: 'x',
      lazy: { name: 'root', children: [{ name: 'leaf', children: [] }] },
      both: { a: 'x', b: 1 },
      tuple: ['x', 1],
      any: { deep: [1, null] },
      filled: 'y',
    };
    const extra = Object.entries(schemas).map(([name, schema]) => {
      return { name, description: 'x', schema, run: () => 'ok' };
    });
    const { toolbox, leftOut } = createToolbox({ workspaceDir: folder.path, extra });
    assert.deepEqual(
      leftOut.map(({ name }) => name),
      ['date', 'transform', 'bigint'],
    );
    for (const [name, v] of Object.entries(values)) {
      const tool = toolbox.get(name);
      assert.ok(tool?.parse({ v }).ok, name);
      assert.deepEqual(argsOf(fillForm({ v }, tool)), { v }, name);
    }
    assert.deepEqual(toolbox.get('filled')?.schema.required ?? [], []);
  });

  it('typed values get the type of their schema, and another kind drops the keys of the first', () => {
    const tool = toolOf(
      z.object({
        by: z.discriminatedUnion('kind', [
          z.object({ kind: z.literal('id'), id: z.number() }),
          z.object({ kind: z.literal('name'), name: z.string() }),
        ]),
        either: z.union([z.string(), z.number()]),
        three: z.literal(3),
        level: z.enum({ A: 1, B: 2 } as const),
        flag: z.boolean(),
      }),
    );
    const args = { by: { kind: 'id', id: 1 }, either: '41', flag: true, level: 1, three: 3 };
    const typed = { 'by.id': '42', either: '42', level: '1', flag: '1' };
    const filled = fillForm(args, tool, typed);
    const by = { kind: 'id', id: 42 };
    assert.deepEqual(argsOf(filled), { by, either: '42', flag: false, level: 2, three: 3 });
    assert.ok(tool.parse(argsOf(filled)).ok);
    for (const wrong of ['', '0x10', 'false', '1_000']) {
      assert.equal(problemsOf(fillForm(args, tool, { 'by.id': wrong })).length, 1, wrong);
    }
    const union = nodesOf(filled.plan).find(
      ({ type, path }) => type === 'union' && path[0] === 'by',
    );
    const other = { ...filled.draft, kinds: { [union?.id ?? '']: 1 } };
    const named = argsOf(fillForm(args, tool, { 'by.name': '42' }, other)) as { by: JsonValue };
    assert.deepEqual(named.by, { kind: 'name', name: '42' });
  });

  it('lists and objects stay unchanged, text that looks like JSON stays text, and invalid JSON is reported with its position', () => {
    const tool = toolOf(
      z.object({
        to: z.array(z.object({ name: z.string(), email: z.string() })),
        meta: z.record(z.string(), z.number()),
        tags: z.array(z.string()),
        raw: z.any(),
      }),
    );
    const args = {
      meta: { a: 1 },
      raw: { x: [1] },
      tags: ['a, b', '["x"]'],
      to: [{ email: 'a@b.example', name: 'A' }],
    };
    assert.deepEqual(argsOf(fillForm(args, tool)), args);
    const tags = ['a, b', '["x"]', 'c'];
    assert.deepEqual(argsOf(fillForm(args, tool, { tags: tags.join('\n') })), { ...args, tags });
    const raw = inputsOfRaw(fillForm(args, tool).views);
    assert.ok(raw !== undefined, 'a value of any kind has a field');
    for (const [text, place] of [
      ['{"x": [1,}', /^Line 1, column 10/],
      ['\ufeff{"x": 1}', /^Line 1, column 1/],
      ['{“x”: 1}', /^Line 1, column 2/],
      ['{"x":\n 01}', /^Line 2, column/],
    ] as const) {
      assert.match(problemsOf(fillForm(args, tool, { raw: text }))[0] ?? '', place, text);
    }
  });

  it('a call that does not fit is never approved unread: two calls that differ only at the end have different cards', () => {
    const harmless = 'Dear all, the picnic is on Friday. '.repeat(100);
    const bodies = ['bcc: nobody at all', 'bcc: all-customers'].map((tail) => harmless + tail);
    const shown = bodies.map((body) => cardOf({ body }));
    for (const [i, { call, card }] of shown.entries()) {
      assert.equal(actionIds(card)[0], 'call.open');
      const ours = JSON.stringify(outsideData(card));
      assert.match(ours, /280 of 3,518 characters shown/);
      assert.ok(ours.includes(shortDigest(call.digest)));
      assert.ok(readWhole(call).includes(bodies[i]?.slice(-18) ?? '-'));
    }
    assert.notEqual(shown[0]?.call.digest, shown[1]?.call.digest);
    const { call, card } = cardOf({
      to: Array.from({ length: 120 }, (_, i) => `person.${i}@long.example.com`),
    });
    assert.equal(actionIds(card)[0], 'call.open');
    assert.match(readWhole(call), /person\.119@long\.example\.com/);
  });
});

function inputsOfRaw(views: ReturnType<typeof fillForm>['views']) {
  return views.flatMap(inputsOf).find(({ element }) => element.action_id?.startsWith('raw'));
}

/** All pages of a call's full view. Only the last one has Approve. */
function readWhole(call: ReturnType<typeof aCall>): string {
  let text = '';
  for (let page = 1; ; page += 1) {
    const show = { page, tool: undefined, mayApprove: true, mark: TEST_MARK };
    const view = buildFullView(call, show);
    text += dataTexts(view.blocks).join('');
    if (!actionIds(view).includes('call.page')) return text;
    assert.ok(!actionIds(view).includes('call.approve'));
  }
}
