import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { toModelTool } from '../../../../src/agent/model/request/model-tool.ts';
import { defineTool } from '../../../../src/agent/tools/define-tool.ts';
import type { JsonValue } from '../../../../src/domain/json/json.ts';
import type { Tool } from '../../../../src/domain/tools/tool.ts';
import { buildDesk } from '../../../support/desk/build-desk.ts';
import { sayCalls, sayText } from '../../../support/servers/mock-model.ts';

const PAY = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('bank'), iban: z.string(), note: z.string().optional() }),
  z.object({ kind: z.literal('card'), digits: z.number(), note: z.string().optional() }),
]);

function offerOf(schema: { readonly [key: string]: JsonValue }) {
  return toModelTool({ name: 'x', description: 'X.', schema } as unknown as Tool);
}

test('a union is offered as one object with all properties; only what every branch requires is required', () => {
  const made = defineTool({ name: 'pay', description: 'Pays.', schema: PAY, run: () => 'ok' });
  assert.ok(made.kind === 'tool');
  const { schema, description } = toModelTool(made.tool);
  assert.deepEqual(schema, {
    type: 'object',
    properties: {
      kind: {
        anyOf: [
          { type: 'string', enum: ['bank'] },
          { type: 'string', enum: ['card'] },
        ],
      },
      iban: { type: 'string' },
      note: { type: 'string' },
      digits: { type: 'number' },
    },
    required: ['kind'],
  });
  assert.match(description, /^Pays\.\nIts arguments must also fit this JSON Schema: \{"oneOf":\[/);
});

test('requirements of an intersection are combined; references are followed, and branches that are not objects are skipped', () => {
  const { schema } = offerOf({
    $defs: { a: { type: 'object', properties: { a: true }, required: ['a'] } },
    allOf: [{ $ref: '#/$defs/a' }, { properties: { b: {} }, required: ['b'] }],
    anyOf: [{ type: 'string' }, { type: 'object', properties: { c: {} }, required: ['c'] }],
  });
  assert.deepEqual(schema.required, ['a', 'b', 'c']);
  assert.deepEqual(Object.keys(schema.properties as object), ['a', 'b', 'c']);
  assert.deepEqual(Object.keys(schema).sort(), ['properties', 'required', 'type']);
});

test('an object schema is offered as it is, and a recursive schema terminates', () => {
  const plain = { type: 'object', properties: { a: {} }, required: ['a'] };
  assert.deepEqual(offerOf(plain), { name: 'x', description: 'X.', schema: plain });
  assert.equal(
    offerOf({ $ref: '#/$defs/a', $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }] } } }).schema.type,
    'object',
  );
});

test('a tool whose arguments are a union is called, shown and run like any other, on a strict server', async (t) => {
  const runs: unknown[] = [];
  const pay = {
    name: 'pay',
    description: 'Pays.',
    schema: PAY,
    run: (args: unknown) => {
      runs.push(args);
      return 'paid';
    },
  };
  const desk = await buildDesk(t, { tools: [pay] });
  const args = [
    { kind: 'card', iban: 'x' },
    { kind: 'card', digits: 42 },
  ];
  desk.model.script((_request, index) => {
    const asked = args[index];
    return asked ? sayCalls([{ name: 'pay', args: JSON.stringify(asked) }]) : sayText('Done.');
  });
  await desk.send('pay');
  assert.deepEqual(desk.model.refusals, []);
  assert.match(
    JSON.stringify(desk.model.requests.at(-1)),
    /digits: Invalid input: expected number/,
  );
  const [call] = await desk.calls();
  assert.ok(call);
  await desk.decide(call, call.requester);
  assert.deepEqual(runs, [{ digits: 42, kind: 'card' }]);
});
