/** Hostile schemas: none breaks its card, its form or the tool definition for the model. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { toModelTool } from '../../../src/agent/model/request/model-tool.ts';
import { readJsonSchema } from '../../../src/agent/tools/schema/read-json-schema.ts';
import { canonicalJson, type JsonValue } from '../../../src/domain/json/json.ts';
import type { Tool } from '../../../src/domain/tools/tool.ts';
import { validateMessage } from '../../../src/playground/workspace/blocks/validate-blocks.ts';
import { buildCallCard } from '../../../src/slack/cards/call-card.ts';
import {
  type Draft,
  type FormNode,
  NO_DRAFT,
  nodesOf,
} from '../../../src/slack/forms/plan/form-node.ts';
import { planForm } from '../../../src/slack/forms/plan/plan-form.ts';
import { changeDraft } from '../../../src/slack/forms/read/form-draft.ts';
import { readForm } from '../../../src/slack/forms/read/read-form.ts';
import { BUDGET } from '../../../src/slack/text/limits.ts';
import { aCall } from '../../support/builders/a-call.ts';
import { HOSTILE_SCHEMAS } from '../../support/hostile/hostile-schemas.ts';
import { randomCases } from '../../support/sample.ts';
import { TEST_MARK } from '../../support/test-secret-mark.ts';
import { argsOf, fillForm, toolOf } from './fill-form.ts';

/** A run takes some milliseconds. Schemas that once broke something are examples. */
const RUNS = randomCases(500);

type Schema = Tool['schema'];

const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>;
const words =
  'type properties items anyOf oneOf allOf $ref enum const required default title format';
const more = 'additionalProperties propertyNames prefixItems nullable minItems maxItems not $defs';
const keyword = fc.constantFrom(...`${words} ${more} maxLength minimum writeOnly`.split(' '));
const name = fc.constantFrom('a', 'b', 'kind', 'constructor', 'toString', 'x y', '');
const { part } = fc.letrec<{ part: JsonValue }>((tie) => ({
  part: fc.oneof(
    { depthSize: 'small', maxDepth: 4 },
    fc.constantFrom<JsonValue>(true, false, {}, null, 7, 'x', { $ref: '#' }, { type: 'object' }),
    fc.constantFrom<JsonValue>({ type: ['string', 'null'] }, { type: 'array' }),
    fc.dictionary(
      keyword,
      fc.oneof(
        tie('part'),
        fc.array(tie('part'), { maxLength: 3 }),
        fc.dictionary(name, tie('part'), { maxKeys: 3 }),
        fc.constantFrom<JsonValue>('string', 'object', 'integer', 'date-time', ['a'], 3, -1, '#'),
        json,
      ),
      { maxKeys: 5 },
    ),
  ),
}));
const schema = part.filter((each): each is Schema => {
  return typeof each === 'object' && each !== null && !Array.isArray(each);
});
const args = fc.dictionary(name, json, { maxKeys: 4 });

describe('a hostile schema', () => {
  it('has an untouched form that changes nothing, a valid card, and an object schema for the model', () => {
    fc.assert(
      fc.property(schema, args, (given, value) => {
        const tool = toolOf(given);
        assert.equal(canonicalJson(argsOf(fillForm(value, tool))), canonicalJson(value));
        const call = aCall({ args: canonicalJson(value), askedLine: '' });
        assert.deepEqual(validateMessage(buildCallCard(call, { tool, mark: TEST_MARK })), []);
        const offer = toModelTool({ name: 'x', description: '', schema: given } as unknown as Tool);
        assert.equal(offer.schema.type, 'object');
        assert.ok(typeof offer.schema.properties === 'object');
      }),
      { numRuns: RUNS, examples: [[{ properties: false }, {}]] },
    );
  });

  it('has a form whose parts can be changed in any way, and every page is valid', () => {
    const change = fc.tuple(fc.nat(), fc.constantFrom('add', 'toggle', 'remove'), fc.nat(5));
    fc.assert(
      fc.property(schema, args, fc.array(change, { maxLength: 4 }), (given, value, changes) => {
        const tool = toolOf(given);
        let { plan, draft } = fillForm(value, tool);
        for (const each of changes) {
          draft = changePart(draft, plan, each);
          ({ plan, draft } = fillForm(value, tool, {}, draft));
        }
      }),
      { numRuns: RUNS, examples: [[{ type: [[], [null]] }, {}, [[0, 'add', 0]]]] },
    );
  });

  // A value without a field stays in the arguments, and is still validated.
  const inX = (x: JsonValue): Schema => ({ type: 'object', properties: { x } });
  const constructs: readonly (readonly [string, Schema, fits: JsonValue, not: JsonValue])[] = [
    ['not', inX({ not: { const: 1 } }), { x: 2 }, { x: 1 }],
    ['multipleOf', inX({ type: 'number', multipleOf: 3 }), { x: 3 }, { x: 4 }],
    ['contains', inX({ type: 'array', contains: { const: 1 } }), { x: [1] }, { x: [2] }],
    ['uniqueItems', inX({ type: 'array', uniqueItems: true }), { x: [1] }, { x: [1, 1] }],
    ['if', { type: 'object', if: { required: ['x'] }, else: { required: ['y'] } }, { x: 1 }, {}],
    [
      'dependentRequired',
      { ...inX({}), dependentRequired: { x: ['y'] } },
      { x: 1, y: 2 },
      { x: 1 },
    ],
    [
      'dependentSchemas',
      { ...inX({}), dependentSchemas: { x: { required: ['y'] } } },
      {},
      { x: 1 },
    ],
    [
      'patternProperties',
      { ...inX({}), patternProperties: { '^y': { type: 'number' } } },
      { y: 1 },
      { y: 'a' },
    ],
    ['propertyNames', { type: 'object', propertyNames: { pattern: '^a' } }, { a: 1 }, { b: 1 }],
    ['unevaluatedProperties', { ...inX({}), unevaluatedProperties: false }, { x: 1 }, { y: 1 }],
    [
      'an anchor',
      { ...inX({ $ref: '#n' }), $defs: { n: { $anchor: 'n', type: 'number' } } },
      { x: 1 },
      { x: 'a' },
    ],
    [
      'an $id',
      { ...inX({ $ref: 'n' }), $defs: { n: { $id: 'n', type: 'number' } } },
      { x: 1 },
      { x: 'a' },
    ],
    [
      'prefixItems',
      inX({ prefixItems: [{ type: 'string' }], items: false }),
      { x: ['a'] },
      { x: ['a', 1] },
    ],
    ['an allOf that clashes', inX({ allOf: [{ minimum: 1 }, { minimum: 3 }] }), { x: 3 }, { x: 2 }],
    [
      'oneOf beside anyOf',
      inX({ oneOf: [{ type: 'number' }], anyOf: [{ minimum: 3 }] }),
      { x: 3 },
      { x: 2 },
    ],
    ['contentEncoding', inX({ type: 'string', contentEncoding: 'base64' }), { x: '!' }, { x: 1 }],
  ];
  for (const [what, given, fits, not] of constructs) {
    it(`is enforced even if the form does not show it: ${what}`, () => {
      const reading = readJsonSchema(given);
      assert.ok(reading.ok, what);
      for (const value of [fits, not]) {
        const left = argsOf(fillForm(value, toolOf(given)));
        assert.equal(canonicalJson(left), canonicalJson(value));
        assert.equal(reading.parse(left).ok, value === fits);
      }
    });
  }

  it('has a form of limited size that leaves untouched values unchanged', () => {
    for (const { name: what, schema: given, args: value } of HOSTILE_SCHEMAS) {
      const tool = toolOf(given);
      const form = planForm({ args: canonicalJson(value) }, tool, NO_DRAFT);
      assert.ok(nodesOf(form).length <= 2 * BUDGET.formPlaces, what);
      const read = readForm(form);
      assert.equal(read.ok && canonicalJson(read.args), canonicalJson(value), what);
    }
  });

  const EIGHT = Array.from({ length: 8 }, (_, i) => i);
  const again = EIGHT.map(() => ({ $ref: '#/$defs/a' }));
  const branches = EIGHT.map((i) => ({
    properties: { [`k${i}`]: { type: 'string' }, left: { $ref: '#/$defs/a' } },
  }));
  const deep = EIGHT.reduce<JsonValue>((left) => ({ left }), { left: 1 });
  const endless: readonly (readonly [string, Schema, JsonValue])[] = [
    ['a choice of itself', { anyOf: [{ type: 'object' }, ...again] }, {}],
    ['all of itself', { allOf: again, type: 'object' }, {}],
    ['a choice of all of itself', { anyOf: [{ type: 'object' }, { allOf: again }] }, {}],
    ['a tree with eight kinds of branches', { anyOf: [{ type: 'number' }, ...branches] }, deep],
  ];
  for (const [what, a, value] of endless) {
    it(`that is ${what} quickly gets a card, a form and a tool definition`, () => {
      const given = { $defs: { a }, properties: { v: { $ref: '#/$defs/a' } } } as Schema;
      for (const [schema, values] of [
        [{ ...given, $ref: '#/$defs/a' }, value],
        [given, { v: value }],
      ] as const) {
        const tool = toolOf(schema);
        const call = aCall({ args: canonicalJson(values), askedLine: '' });
        assert.deepEqual(validateMessage(buildCallCard(call, { tool, mark: TEST_MARK })), []);
        assert.equal(canonicalJson(argsOf(fillForm(values, tool))), canonicalJson(values));
        toModelTool({ name: 'x', description: '', schema } as unknown as Tool);
      }
    });
  }
});

type Change = readonly [at: number, kind: 'add' | 'toggle' | 'remove', which: number];

function changePart(draft: Draft, plan: FormNode, [at, kind, which]: Change): Draft {
  const parts = nodesOf(plan).filter(({ type }) => type !== 'field' && type !== 'kept');
  const node = parts[at % Math.max(1, parts.length)];
  if (node?.type === 'union') {
    return { ...draft, kinds: { ...draft.kinds, [node.id]: which % node.kinds.length } };
  }
  const item = node?.type === 'entries' ? (node.items[which]?.id ?? '') : '';
  return node === undefined ? draft : changeDraft(draft, plan, { kind, id: node.id, item });
}
