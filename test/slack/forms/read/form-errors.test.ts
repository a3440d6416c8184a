import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonValue } from '../../../../src/domain/json/json.ts';
import { fieldsOf, nodesOf } from '../../../../src/slack/forms/plan/form-node.ts';
import { locateProblems, toFormErrors } from '../../../../src/slack/forms/read/form-errors.ts';
import { fieldNamed, fillForm, toolOf } from '../fill-form.ts';

const STRING = { type: 'string' };

function objectOf(
  properties: { readonly [key: string]: JsonValue },
  required: readonly string[] = [],
) {
  return toolOf({ type: 'object', properties, required });
}

const NONE: ReadonlySet<string> = new Set();

describe('errors of a form', () => {
  const cases: readonly (readonly [
    what: string,
    path: readonly (string | number)[],
    message: string,
    on: string,
    said: RegExp,
  ])[] = [
    ['of one argument', ['end'], 'Too small.', 'end', /^Too small\.$/],
    ['of a nested path', ['to', 0, 'email'], 'Bad.', 'to.0.email', /^Bad\.$/],
    ['within a field', ['raw', 'a', 3], 'Bad.', 'raw', /^a\.3: Bad\.$/],
    ['of all together', [], 'end > start', 'start', /^The arguments as a whole: end > start$/],
    ['of what is not in the form', ['elsewhere'], 'Bad.', 'start', /^elsewhere: Bad\.$/],
    ['without words', ['end'], ' ', 'end', /^This value is not valid\.$/],
    ['too long', ['end'], 'x'.repeat(2_500), 'end', /^x{299}…$/],
  ];
  const tool = objectOf({
    start: STRING,
    end: STRING,
    raw: { 'x-any': 1 },
    to: { type: 'array', items: { type: 'object', properties: { email: STRING } } },
  });
  const args = { end: 'e', raw: { a: [] }, start: 's', to: [{ email: 'x' }] };
  for (const [what, path, message, on, said] of cases) {
    it(`${what} are on an input that is there`, () => {
      const { plan } = fillForm(args, tool);
      const inputs = new Set(fieldsOf(plan).map(({ id }) => id));
      const errors =
        toFormErrors(locateProblems([{ path, message }], plan), plan, { inputs, shown: NONE }) ??
        {};
      assert.deepEqual(Object.keys(errors), [fieldNamed(plan, on).id]);
      assert.match(Object.values(errors)[0] ?? '', said);
    });
  }

  it('about a part without an input are on the first input, with its name', () => {
    const { plan } = fillForm(args, tool);
    const to = nodesOf(plan).find(({ type }) => type === 'entries');
    assert.ok(to);
    const start = fieldNamed(plan, 'start').id;
    const problems = locateProblems([{ path: ['to'], message: 'Too few.' }], plan);
    const inView = { inputs: new Set([start]), shown: new Set([to.id]) };
    assert.deepEqual(toFormErrors(problems, plan, inView), { [start]: 'To: Too few.' });
    assert.equal(toFormErrors(problems, plan, { ...inView, shown: NONE }), undefined);
  });

  it('about an input on another page are on none: the form has to open that page', () => {
    const { plan } = fillForm(args, tool);
    const problems = locateProblems([{ path: ['end'], message: 'Bad.' }], plan);
    assert.equal(
      toFormErrors(problems, plan, {
        inputs: new Set([fieldNamed(plan, 'start').id]),
        shown: NONE,
      }),
      undefined,
    );
    assert.equal(toFormErrors(problems, plan, { inputs: NONE, shown: NONE }), undefined);
  });
});
