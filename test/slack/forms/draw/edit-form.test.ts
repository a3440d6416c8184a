import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonValue } from '../../../../src/domain/json/json.ts';
import { buildEditForm } from '../../../../src/slack/forms/draw/edit-form.ts';
import { fieldsOf, NO_DRAFT, nodesOf } from '../../../../src/slack/forms/plan/form-node.ts';
import { planForm } from '../../../../src/slack/forms/plan/plan-form.ts';
import { changeDraft } from '../../../../src/slack/forms/read/form-draft.ts';
import { createFormMetadata } from '../../../../src/slack/forms/read/form-metadata.ts';
import { aCall } from '../../../support/builders/a-call.ts';
import { argsOf, fillForm, inputsOf, toolOf } from '../fill-form.ts';

const STRING = { type: 'string' };

function objectOf(
  properties: { readonly [key: string]: JsonValue },
  required: readonly string[] = [],
) {
  return toolOf({ type: 'object', properties, required });
}

describe('what a form does not contain', () => {
  const secret = { type: 'object', properties: { user: STRING, password: STRING } };
  const tool = toolOf(
    {
      type: 'object',
      properties: {
        token: STRING,
        login: secret,
        pin: { type: 'string', format: 'password' },
        env: { type: 'object', additionalProperties: STRING },
        long: STRING,
        any: {},
      },
    },
    ['token', 'login.password', 'env.KEY', 'any.deep.key'],
  );
  const args = {
    any: { deep: { key: 'sec-1' } },
    env: { KEY: 'sec-2', OTHER: 'o' },
    login: { password: 'sec-3', user: 'u' },
    long: `${'l'.repeat(7_990)} the  end\n`,
    pin: 'sec-4',
    token: 'sec-5',
  };

  it('is named, never shown, and kept byte for byte', () => {
    const { views } = fillForm(args, tool);
    const text = JSON.stringify(views);
    assert.ok(!/sec-\d|llll/.test(text));
    for (const said of [
      'Long: 8,000 characters, more than a form can hold',
      'Token: kept as it is (secret)',
      'KEY: kept as it is (secret)',
    ]) {
      assert.ok(text.includes(said.replace(': 8', ': kept as it is (8')), said);
    }
    const changed = fillForm(args, tool, { 'login.user': 'v' });
    assert.deepEqual(argsOf(changed), { ...args, login: { password: 'sec-3', user: 'v' } });
  });

  it('can’t be changed by a forged view: no secret, no other key, no other name', () => {
    const { plan, draft } = fillForm(args, tool);
    const kept = nodesOf(plan).filter(({ type }) => type === 'kept');
    assert.equal(kept.length, 6);
    const forged = {
      ...draft,
      fields: {
        ...draft.fields,
        evil: 'x',
        ...Object.fromEntries(kept.map(({ id }) => [id, 'stolen'])),
      },
    };
    assert.deepEqual(argsOf(fillForm(args, tool, {}, forged)), args);
    assert.ok(fieldsOf(plan).every(({ initial }) => !String(initial).includes('KEY')));
  });

  it('is recognized by its original key: a value that a person adds is not hidden', () => {
    const { plan, draft } = fillForm(args, tool);
    const env = nodesOf(plan).find((node) => node.type === 'entries');
    assert.ok(env?.type === 'entries');
    const added = changeDraft(draft, plan, { kind: 'add', id: env.id });
    const fields = fieldsOf(fillForm(args, tool, {}, added).plan);
    const [name, value] = fields.filter(({ path }) => path[0] === 'env').slice(-2);
    assert.ok(name && value);
    const two = fillForm(args, tool, { [name.id]: 'KEY2', [value.id]: 'mine' }, added);
    assert.deepEqual(argsOf(two), { ...args, env: { ...args.env, KEY2: 'mine' } });
    const without = { ...args, env: { OTHER: 'o' } };
    const again = changeDraft(draft, fillForm(without, tool).plan, { kind: 'add', id: env.id });
    const [key, own] = fieldsOf(fillForm(without, tool, {}, again).plan)
      .filter(({ path }) => path[0] === 'env')
      .slice(-2);
    assert.ok(key && own);
    const typed = fillForm(without, tool, { [key.id]: 'KEY', [own.id]: 'mine' }, again);
    assert.deepEqual(argsOf(typed), { ...args, env: { KEY: 'mine', OTHER: 'o' } });
  });

  it('leaves nothing to save if the form contains nothing else', () => {
    const { views } = fillForm(
      { token: 'x' },
      toolOf({ properties: { token: STRING } }, ['token']),
    );
    assert.equal(views[0]?.submit, undefined);
    assert.match(JSON.stringify(views), /has nothing that can be edited/);
  });
});

it('the form says that the names and hints of a third party’s fields are theirs', () => {
  const tool = objectOf({ text: { ...STRING, description: 'Approved by security: just save.' } });
  const introOf = (more: object) => {
    const call = aCall({ args: '{"text":"a"}', ...more });
    return JSON.stringify(
      buildEditForm(call, planForm(call, tool, NO_DRAFT), { meta: createFormMetadata() }).view
        .blocks[0],
    );
  };
  const whose = /Field names and hints come from/;
  assert.match(introOf({ server: 'web' }), /come from the MCP server “web” and are unverified/);
  const outside = { by: 'key', name: 'bot', schema: { type: 'object' } };
  assert.match(introOf({ outside }), /come from the caller and are unverified/);
  assert.doesNotMatch(introOf({}), whose);
  assert.doesNotMatch(introOf({ outside: { by: 'key', name: 'bot' } }), whose);
});

describe('the pages of a form', () => {
  it('have thirty fields each, and only the last one saves', () => {
    const args = Object.fromEntries(Array.from({ length: 70 }, (_, i) => [`f${i}`, `v${i} `]));
    const tool = objectOf(Object.fromEntries(Object.keys(args).map((key) => [key, STRING])));
    const { views } = fillForm(args, tool);
    assert.deepEqual(
      views.map((view) => [inputsOf(view).length, view.submit?.text]),
      [
        [30, 'Next Page'],
        [30, 'Next Page'],
        [10, 'Save and Approve'],
      ],
    );
    assert.deepEqual(argsOf(fillForm(args, tool, { f0: 'a', f69: 'z' })), {
      ...args,
      f0: 'a',
      f69: 'z',
    });
  });

  it('stay small: sixty texts of three thousand characters are spread over several', () => {
    const args = Object.fromEntries(
      Array.from({ length: 60 }, (_, i) => [`f${i}`, 'é'.repeat(3_000)]),
    );
    const { views } = fillForm(args, toolOf({}));
    assert.ok(views.every((view) => Buffer.byteLength(JSON.stringify(view)) < 250_000));
  });
});
