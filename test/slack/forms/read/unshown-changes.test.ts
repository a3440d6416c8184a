/** Forms of outside tools: nothing that a schema adds or shortens is approved unseen. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fieldsOf } from '../../../../src/slack/forms/plan/form-node.ts';
import { addsHiddenValues } from '../../../../src/slack/forms/read/unshown-changes.ts';
import { fieldLabelOf } from '../../../../src/slack/schema/field-labels.ts';
import { fillForm, toolOf } from '../fill-form.ts';

const LONG = 'keep everything that is there, as it was before, and change nothing at all';

describe('a form of an outside tool', () => {
  it('reports as unseen what the schema fixes for another kind, under any title', () => {
    const kind = (title: string, mode: string) => ({
      title,
      type: 'object',
      properties: { mode: { const: mode } },
      required: ['mode'],
    });
    const tool = toolOf({
      type: 'object',
      properties: {
        plan: { oneOf: [kind('Delete', 'delete'), kind('Keep everything', 'delete-all')] },
      },
    });
    const args = { plan: { mode: 'delete' } };
    const untouched = fillForm(args, tool);
    assert.equal(addsHiddenValues(untouched.plan, args), false);
    const [union] = untouched.plan.type === 'group' ? untouched.plan.children : [];
    assert.ok(union?.node.type === 'union');
    const draft = { fields: {}, kinds: { [union.node.id]: 1 }, present: {}, items: {} };
    const changed = fillForm(args, tool, {}, draft);
    assert.equal(addsHiddenValues(changed.plan, args), true);
  });

  it('reports as unseen the end of an option that is too long to show', () => {
    const options = [`${LONG} (a)`, `${LONG}, but for all of it`, 'b'];
    const tool = toolOf({ type: 'object', properties: { mode: { enum: options } } });
    const args = { mode: 'b' };
    const first = fillForm(args, tool);
    const [field] = fieldsOf(first.plan);
    assert.ok(field);
    assert.equal(addsHiddenValues(first.plan, args), false);
    const short = fillForm(args, tool, { [field.id]: '2' });
    assert.equal(addsHiddenValues(short.plan, args), false);
    const long = fillForm(args, tool, { [field.id]: '1' });
    assert.equal(addsHiddenValues(long.plan, args), true);
  });

  it('shows the key of a field too, however long its title is', () => {
    const label = fieldLabelOf('command', { title: 'Comment '.repeat(40) });
    assert.match(label, /^Comment .*… \(command\)$/);
    assert.ok(label.length <= 100);
  });
});
