import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonValue } from '../../../../src/domain/json/json.ts';
import {
  type Draft,
  fieldsOf,
  NO_DRAFT,
  nodesOf,
} from '../../../../src/slack/forms/plan/form-node.ts';
import { changeDraft } from '../../../../src/slack/forms/read/form-draft.ts';
import { argsOf, fillForm, inputsOf, problemsOf, toolOf } from '../fill-form.ts';

const STRING = { type: 'string' };

function objectOf(
  properties: { readonly [key: string]: JsonValue },
  required: readonly string[] = [],
) {
  return toolOf({ type: 'object', properties, required });
}

/** The element of each field, by action id. */
function elements(args: JsonValue, tool = toolOf({})): Readonly<Record<string, string>> {
  const inputs = fillForm(args, tool).views.flatMap(inputsOf);
  return Object.fromEntries(inputs.map(({ element }) => [element.action_id, element.type]));
}

describe('the parts of a form', () => {
  /** Changes the part at a path. */
  function change(
    args: JsonValue,
    tool: ReturnType<typeof toolOf>,
    path: string,
    what: 'add' | 'toggle' | string,
    before: Draft = NO_DRAFT,
  ): Draft {
    const { plan, draft } = fillForm(args, tool, {}, before);
    const node = nodesOf(plan).find(
      (each) => each.path.join('.') === path && ['entries', 'group'].includes(each.type),
    );
    assert.ok(node, path);
    const kind = what === 'add' || what === 'toggle' ? what : 'remove';
    return changeDraft(draft, plan, { kind, id: node.id, item: what });
  }
  const person = {
    type: 'object',
    properties: { name: STRING, email: { type: 'string', format: 'email' } },
    required: ['name'],
  };

  it('change, add and remove entries of a list, and keep the others byte for byte', () => {
    const tool = objectOf({ to: { type: 'array', items: person } }, ['to']);
    const args = { to: [{ name: 'A ' }, { email: 'b@b.example', name: 'B' }, { name: 'C\t' }] };
    const removed = change(args, tool, 'to', '1');
    assert.deepEqual(argsOf(fillForm(args, tool, {}, removed)), {
      to: [{ name: 'A ' }, { name: 'C\t' }],
    });
    const added = change(args, tool, 'to', 'add', removed);
    assert.deepEqual(problemsOf(fillForm(args, tool, {}, added)), ['This needs a value.']);
    const filled = fillForm(args, tool, { 'to.2.name': 'D', 'to.0.name': 'A2' }, added);
    assert.deepEqual(argsOf(filled), { to: [{ name: 'A2' }, { name: 'C\t' }, { name: 'D' }] });
  });

  it('keep an empty list and an absent one apart until an entry is added', () => {
    const tool = objectOf({
      a: { type: 'array', items: person },
      b: { type: 'array', items: person },
    });
    assert.deepEqual(argsOf(fillForm({ a: [] }, tool)), { a: [] });
    const added = change({ a: [] }, tool, 'b', 'add');
    assert.deepEqual(argsOf(fillForm({ a: [] }, tool, { 'b.0.name': 'N' }, added)), {
      a: [],
      b: [{ name: 'N' }],
    });
  });

  it('rename, add and remove entries of a record, and refuse two of one name', () => {
    const tool = objectOf({ env: { type: 'object', additionalProperties: { type: 'number' } } });
    const args = { env: { a: 1, 'b c': 2 } };
    const { plan } = fillForm(args, tool);
    const [name] = fieldsOf(plan);
    assert.ok(name);
    assert.deepEqual(argsOf(fillForm(args, tool, { [name.id]: 'z' })), { env: { z: 1, 'b c': 2 } });
    assert.deepEqual(problemsOf(fillForm(args, tool, { [name.id]: 'b c' })), [
      'Another entry has this name.',
    ]);
    assert.deepEqual(argsOf(fillForm(args, tool, {}, change(args, tool, 'env', '0'))), {
      env: { 'b c': 2 },
    });
    const added = change(args, tool, 'env', 'add');
    const [newName, newValue] = fieldsOf(fillForm(args, tool, {}, added).plan).slice(-2);
    assert.ok(newName && newValue);
    const changes = { [newName.id]: 'n', [newValue.id]: '3' };
    assert.deepEqual(argsOf(fillForm(args, tool, changes, added)), {
      env: { a: 1, 'b c': 2, n: 3 },
    });
  });

  it('add an optional group with its required fields, and remove it again', () => {
    const tool = objectOf({ who: { anyOf: [person, { type: 'null' }] }, at: person }, ['who']);
    const args = { at: { name: 'x' }, who: null };
    assert.deepEqual(argsOf(fillForm(args, tool, {}, change(args, tool, 'at', 'toggle'))), {
      who: null,
    });
    const added = change(args, tool, 'who', 'toggle');
    const filled = fillForm(args, tool, { 'who.name': 'N' }, added);
    assert.deepEqual(argsOf(filled), { at: { name: 'x' }, who: { name: 'N' } });
    assert.deepEqual(
      argsOf(fillForm(args, tool, {}, change(args, tool, 'who', 'toggle', added))),
      args,
    );
  });

  it('show the fields of another kind, keep the common ones, drop the rest, and restore it on the way back', () => {
    const kind = (name: string, properties: JsonValue, required: string[]) => ({
      type: 'object',
      properties: { kind: { const: name }, note: STRING, ...(properties as object) },
      required: ['kind', ...required],
      additionalProperties: false,
    });
    const by = {
      oneOf: [
        kind('by_id', { id: { type: 'number' } }, ['id']),
        kind('by_name', { id: STRING, exact: { type: 'boolean' } }, ['id']),
      ],
    };
    const tool = objectOf({ by }, ['by']);
    const args = { by: { id: 42, kind: 'by_id', note: 'n ' } };
    const union = nodesOf(fillForm(args, tool).plan).find((node) => node.type === 'union');
    assert.ok(union?.type === 'union');
    assert.deepEqual(union.kinds, ['By ID', 'By name']);
    const { draft } = fillForm(args, tool, { 'by.id': '43' });
    const other = { ...draft, kinds: { [union.id]: 1 } };
    assert.deepEqual(problemsOf(fillForm(args, tool, {}, other)), ['This needs a value.']);
    const named = fillForm(args, tool, { 'by.id': 'forty' }, other);
    assert.deepEqual(argsOf(named), { by: { id: 'forty', kind: 'by_name', note: 'n ' } });
    const back = { ...named.draft, kinds: { [union.id]: 0 } };
    assert.deepEqual(argsOf(fillForm(args, tool, {}, back)), {
      by: { id: 43, kind: 'by_id', note: 'n ' },
    });
  });

  it('keep the type of a value that may have two: the text 42 stays a text', () => {
    const tool = objectOf({ v: { anyOf: [STRING, { type: 'number' }] } }, ['v']);
    assert.deepEqual(argsOf(fillForm({ v: '42' }, tool, { v: '43' })), { v: '43' });
    assert.deepEqual(argsOf(fillForm({ v: 42 }, tool, { v: '43' })), { v: 43 });
  });

  it('have a field for each value of a tuple, an intersection and a tree', () => {
    const tree = {
      type: 'object',
      properties: { name: STRING, next: { type: 'array', items: { $ref: '#/properties/tree' } } },
      required: ['name'],
    };
    const pair = { type: 'array', items: [STRING, { type: 'number' }], additionalItems: false };
    const both = {
      allOf: [
        { type: 'object', properties: { a: STRING } },
        { type: 'object', properties: { b: { type: 'boolean' } } },
      ],
    };
    const tool = objectOf({ tree, pair, both });
    const args = {
      both: { a: 'x', b: true },
      pair: ['p', 1],
      tree: { name: 'r', next: [{ name: 'c', next: [] }] },
    };
    const found = elements(args, tool);
    for (const id of ['both.b', 'pair.1', 'tree.next.0.name']) assert.ok(found[id], id);
    const changed = fillForm(args, tool, { 'pair.1': '2', 'tree.next.0.name': 'd' });
    assert.deepEqual(argsOf(changed), {
      ...args,
      pair: ['p', 2],
      tree: { name: 'r', next: [{ name: 'd', next: [] }] },
    });
  });

  it('follow the type of each value if the schema is missing or malformed', () => {
    const args = { a: 'x', b: true, c: [{ d: 1 }], e: null, f: { g: ['h'] } };
    const inferred = elements(args);
    assert.equal(inferred.a, 'plain_text_input');
    assert.equal(inferred.b, 'radio_buttons');
    assert.equal(inferred['c.0.d'], 'number_input');
    const odd = [
      { properties: null },
      { type: 7, properties: [] },
      { anyOf: 'x' },
      { properties: { a: 3, b: { $ref: '#' }, c: { $ref: '#/properties/c' } } },
      { allOf: [{ $ref: '%' }, 4] },
    ];
    for (const schema of odd as JsonValue[]) {
      assert.deepEqual(argsOf(fillForm(args, toolOf(schema))), args);
    }
  });

  it('name each list in a list once, and number its entries by both', () => {
    const rows = { type: 'array', items: { type: 'array', items: person } };
    const { views } = fillForm({ rows: [[{ name: 'A' }, { name: 'B' }], []] }, objectOf({ rows }));
    const texts = JSON.stringify(views.map(({ blocks }) => blocks)).match(/"text":"[^"]*"/g) ?? [];
    const heads = texts
      .map((text) => text.slice(8, -1).replaceAll('*', ''))
      .filter((text) => text.startsWith('Rows'));
    assert.deepEqual(heads, [
      'Rows',
      'Rows 1 of 2',
      'Rows 1, 1 of 2',
      'Rows 1, 2 of 2',
      'Rows 2 of 2',
      'Rows 2 of 2: none',
    ]);
  });
});
