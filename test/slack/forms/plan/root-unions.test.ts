/** Tools whose arguments are one of several kinds: from the zod schema to the arguments that the form returns. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { z as z3 } from 'zod/v3';
import { type ArgsSchema, defineTool } from '../../../../src/agent/tools/define-tool.ts';
import type { JsonValue } from '../../../../src/domain/json/json.ts';
import { buildCallCard } from '../../../../src/slack/cards/call-card.ts';
import { nodesOf } from '../../../../src/slack/forms/plan/form-node.ts';
import { locateProblems } from '../../../../src/slack/forms/read/form-errors.ts';
import { aCall } from '../../../support/builders/a-call.ts';
import { TEST_MARK } from '../../../support/test-secret-mark.ts';
import { argsOf, fieldNamed, fillForm, inputsOf, problemsOf } from '../fill-form.ts';

function toolOf(schema: ArgsSchema, secrets: readonly string[] = []) {
  const made = defineTool({ name: 'pay', description: 'Pays.', schema, secrets, run: () => 'ok' });
  assert.ok(made.kind === 'tool', JSON.stringify(made));
  return made.tool;
}

const BANK = { kind: z.literal('bank'), iban: z.string().min(5), note: z.string().optional() };
const CARD = { kind: z.literal('card'), digits: z.number(), note: z.string().optional() };
const PAY = z.discriminatedUnion('kind', [z.object(BANK), z.object(CARD)]);
const ARGS = { iban: 'DE021', kind: 'bank', note: 'n ' };

/** The choice at the top of a form. */
function choiceOf(args: JsonValue, tool: ReturnType<typeof toolOf>) {
  const [union] = nodesOf(fillForm(args, tool).plan);
  assert.ok(union?.type === 'union');
  return union;
}

describe('a tool whose arguments are one of several kinds', () => {
  it('has a form that starts with the kind; another kind redraws it, and keeps common fields', () => {
    const tool = toolOf(PAY);
    const { kinds, chosen, id, label } = choiceOf(ARGS, tool);
    assert.deepEqual([kinds, chosen, label], [['Bank', 'Card'], 0, 'Kind']);
    const { views, ...filled } = fillForm(ARGS, tool);
    const ids = views.flatMap(inputsOf).map(({ element }) => element.action_id);
    assert.deepEqual(ids, ['form.kind', 'iban', 'note']);
    assert.deepEqual(argsOf(filled), ARGS);
    const other = { ...filled.draft, kinds: { [id]: 1 } };
    assert.deepEqual(problemsOf(fillForm(ARGS, tool, {}, other)), ['This needs a value.']);
    const paid = argsOf(fillForm(ARGS, tool, { digits: '42' }, other));
    assert.deepEqual(paid, { digits: 42, kind: 'card', note: 'n ' });
    assert.ok(tool.parse(paid).ok);
  });

  it('has each error on the field of its kind', () => {
    const tool = toolOf(PAY);
    const { plan, ...filled } = fillForm(ARGS, tool, { iban: 'DE' });
    const parsed = tool.parse(argsOf(filled));
    assert.ok(!parsed.ok);
    const [problem] = locateProblems(parsed.problems, plan);
    assert.equal(problem?.id, fieldNamed(plan, 'iban').id);
  });

  it('has its kind recognized without a fixed value too, in zod 4 and in zod 3', () => {
    for (const tool of [
      toolOf(z.union([z.object({ id: z.number() }), z.object({ name: z.string() })])),
      toolOf(z3.union([z3.object({ id: z3.number() }), z3.object({ name: z3.string() })])),
    ]) {
      assert.equal(choiceOf({ name: 'Ann' }, tool).chosen, 1);
      assert.deepEqual(argsOf(fillForm({ name: 'Ann' }, tool, { name: 'Bob' })), { name: 'Bob' });
      const wrong = tool.parse({ name: 7 });
      assert.deepEqual(wrong.ok ? [] : wrong.problems.map(({ path }) => path), [['name']]);
    }
  });

  it('has its own argument names on the card, and masks what is secret in any kind', () => {
    const tool = toolOf(PAY, ['iban']);
    const card = buildCallCard(aCall({ args: JSON.stringify(ARGS) }), { tool, mark: TEST_MARK });
    const shown = JSON.stringify(card.blocks);
    assert.match(shown, /"text":"IBAN · secret, not shown/);
    assert.match(shown, /"text":"note"/);
    assert.ok(!shown.includes('DE021'));
    const { views, ...filled } = fillForm(ARGS, tool);
    assert.ok(!JSON.stringify(views).includes('DE021'));
    assert.deepEqual(argsOf(filled), ARGS);
  });

  it('has one JSON field if the value matches no kind, or no form can be made', () => {
    const tool = toolOf(PAY);
    const odd = { kind: 'cash' };
    const { plan, ...filled } = fillForm(odd, tool, { value: '{"kind":"card","digits":1}' });
    assert.deepEqual(
      nodesOf(plan).map(({ type, label }) => [type, label]),
      [['field', 'Arguments']],
    );
    assert.deepEqual(argsOf(filled), { digits: 1, kind: 'card' });
    assert.deepEqual(argsOf(fillForm(odd, tool)), odd);
    const any = toolOf(z.any());
    assert.deepEqual(argsOf(fillForm({ a: 1 }, any, { a: '2' })), { a: 2 });
    const clash = {
      secrets: [],
      schema: {
        allOf: [
          { type: 'object' },
          { type: 'object', minProperties: 1, type2: 1 },
          { minProperties: 2 },
        ],
      },
    };
    assert.deepEqual(argsOf(fillForm({ a: 1 }, clash)), { a: 1 });
  });

  it('has no choice of kinds if the kinds differ only in required properties', () => {
    const schema = {
      type: 'object',
      properties: { a: { type: 'string' }, b: { type: 'string' } },
      anyOf: [{ required: ['a'] }, { required: ['b'] }],
    };
    const { plan, ...filled } = fillForm({ a: 'x' }, { schema, secrets: [] }, { b: 'y' });
    assert.equal(plan.type, 'group');
    assert.deepEqual(argsOf(filled), { a: 'x', b: 'y' });
  });
});
