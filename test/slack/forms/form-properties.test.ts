import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { canonicalJson, type JsonValue } from '../../../src/domain/json/json.ts';
import { type Field, fieldsOf, type Raw } from '../../../src/slack/forms/plan/form-node.ts';
import { randomCases } from '../../support/sample.ts';
import { anyArgs } from './any-form.ts';
import { argsOf, fillForm, toolOf } from './fill-form.ts';

const RUNS = randomCases(4_000);

describe('any form', () => {
  it('changes nothing when it is untouched, and every page passes the validator', () => {
    fc.assert(
      fc.property(anyArgs, ({ schema, args }) => {
        const filled = fillForm(args, toolOf(schema));
        assert.equal(canonicalJson(argsOf(filled)), canonicalJson(args));
      }),
      { numRuns: RUNS },
    );
  });

  it('changes only the path of the changed field', () => {
    let changed = 0;
    fc.assert(
      fc.property(anyArgs, fc.nat(), ({ schema, args }, at) => {
        const tool = toolOf(schema);
        const fields = fieldsOf(fillForm(args, tool).plan).filter(
          ({ actionId }) => actionId !== 'name',
        );
        const field = fields[at % Math.max(1, fields.length)];
        const raw = field === undefined ? undefined : another(field);
        if (field === undefined || raw === undefined) return;
        const filled = fillForm(args, tool, { [field.id]: raw });
        const paths = differences(JSON.parse(canonicalJson(args)), argsOf(filled), []);
        const [path = []] = paths;
        assert.equal(paths.length, 1, JSON.stringify({ field, raw, paths }));
        assert.deepEqual(path.slice(0, field.path.length).map(String), field.path.map(String));
        changed += 1;
      }),
      { numRuns: RUNS },
    );
    assert.ok(changed > RUNS / 2, `${changed} forms were changed`);
  });
});

/** Another valid value for a field; undefined if there is none. */
function another({ widget, initial }: Field): Raw | undefined {
  switch (widget.kind) {
    case 'text':
      return initial.length < widget.max ? `${initial}x` : `${initial.slice(1)}x`;
    case 'email':
      return 'other@b.example';
    case 'url':
      return 'https://other.example/';
    case 'number':
      return initial === '7' ? '8' : '7';
    case 'date':
      return '2031-12-31';
    case 'time':
      return '23:59';
    case 'moment':
      return initial === '' ? '1900000000' : String(Number(initial) + 3_600);
    case 'choice': {
      const other = widget.options.findIndex((_, i) => String(i) !== initial);
      // “Not set” is no change if nothing was set.
      return other < 0 || (initial === '' && widget.options[other] === undefined)
        ? undefined
        : String(other);
    }
    case 'many': {
      const chosen = typeof initial === 'string' ? [] : initial;
      return chosen.includes('0') ? chosen.filter((each) => each !== '0') : [...chosen, '0'];
    }
    case 'lines':
      return `${initial}${initial === '' ? '' : '\n'}7`;
    case 'json':
      return initial === '"changed"' ? '"changed again"' : '"changed"';
  }
}

function differences(
  one: JsonValue,
  other: JsonValue,
  path: readonly string[],
): readonly (readonly string[])[] {
  if (canonicalJson(one) === canonicalJson(other)) return [];
  const [before, after] = [one, other];
  if (typeof before !== 'object' || typeof after !== 'object' || before === null || after === null)
    return [path];
  const isList = Array.isArray(before);
  if (isList !== Array.isArray(after)) return [path];
  if (isList && Object.keys(before).length !== Object.keys(after).length) return [path];
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return keys.flatMap((key) => {
    const [from, to] = [before, after].map((each) =>
      Object.hasOwn(each, key) ? (each as Record<string, JsonValue>)[key] : undefined,
    );
    if (from === undefined || to === undefined) return [[...path, key]];
    return differences(from, to, [...path, key]);
  });
}
