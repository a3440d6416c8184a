/** Who declared a secret, and where a call is shown: hidden, masked until opened, or never shown. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { requiresOpening } from '../../../src/domain/calls/call-secrets.ts';
import { callDigestOf } from '../../../src/domain/calls/digest.ts';
import { createSecretHider } from '../../../src/domain/cards/hide-args.ts';
import { canonicalJson, type JsonValue } from '../../../src/domain/json/json.ts';
import { buildCallCard } from '../../../src/slack/cards/call-card.ts';
import { buildFullView } from '../../../src/slack/forms/draw/full-view.ts';
import { readForm } from '../../../src/slack/forms/read/read-form.ts';
import { actionIds } from '../../support/app/unrender-card.ts';
import { aCall } from '../../support/builders/a-call.ts';
import { TEST_MARK } from '../../support/test-secret-mark.ts';
import {
  formOf,
  OPERATORS,
  OTHERS,
  outsideTool,
  SECRET,
  SHOWS_CLAIMS,
  surfacesOf,
  TELLS_NOTHING,
  tellAll,
  tells,
  textsOf,
  view,
} from './secret-surfaces.ts';

describe('a declared secret', () => {
  for (const [who, declared] of Object.entries({ ...OPERATORS, ...OTHERS })) {
    const isOperators = Object.hasOwn(OPERATORS, who);
    it(`of ${who} is ${isOperators ? 'shown nowhere' : 'masked until a person opens the call'}`, () => {
      const call = tellAll(declared);
      for (const [name, surface] of Object.entries(surfacesOf(call, declared.tool))) {
        const isShown = !isOperators && SHOWS_CLAIMS.has(name);
        assert.equal(tells(surface, SECRET), isShown, name);
        const isMasked = /⟨hidden: |hidden: marked|secret, not shown|kept as it is/;
        if (isShown || TELLS_NOTHING.has(name)) continue;
        assert.match(textsOf(surface).join('\n'), isMasked, name);
      }
    });

    it(`of ${who} keeps Approve off its card${isOperators ? ' where another argument repeats it' : ''}`, () => {
      const { tool } = declared;
      const cardOf = (args: JsonValue) => {
        const text = canonicalJson(args);
        const call = aCall({ ...declared.call, args: text, proposedArgs: text });
        return { call, ids: actionIds(buildCallCard(call, { tool, mark: TEST_MARK }).blocks) };
      };
      const alone = cardOf({ key: SECRET, note: 'fine' });
      assert.equal(alone.ids.includes('call.approve'), isOperators);
      assert.equal(requiresOpening(alone.call, tool), !isOperators);
      const repeated = cardOf({ key: SECRET, note: `x ${SECRET}` });
      assert.deepEqual(repeated.ids.slice(0, 1), ['call.open']);
      assert.ok(requiresOpening(repeated.call, tool));
      const opened = buildFullView(repeated.call, { ...view, tool, mayApprove: true });
      assert.ok(actionIds(opened).includes('call.approve'));
      const words = textsOf(opened).join('\n');
      assert.match(words, isOperators ? /part of it is hidden from everyone/ : /This was logged/);
    });

    it(`of ${who} is unchanged by an untouched form`, () => {
      const call = tellAll(declared);
      const reading = readForm(formOf(call, declared.tool).plan);
      assert.ok(reading.ok);
      assert.equal(canonicalJson(reading.args), call.args);
    });
  }

  it('of a caller is masked wherever the schema marks it, whatever its title', () => {
    const marks = [
      { writeOnly: true },
      { format: 'password' },
      { secret: true },
      { anyOf: [{ type: 'string', writeOnly: true }] },
      { $ref: '#/$defs/x' },
    ];
    for (const mark of marks) {
      const schema = {
        type: 'object',
        properties: { command: { title: 'Comment', ...mark } },
        $defs: { x: { writeOnly: true } },
      };
      const { tool, call: patch } = outsideTool({ by: 'key', name: 'bot', schema });
      const call = aCall({ ...patch, args: canonicalJson({ command: 'rm -rf /' }) });
      const card = buildCallCard(call, { tool, mark: TEST_MARK });
      assert.ok(!actionIds(card.blocks).includes('call.approve'), JSON.stringify(mark));
      const opened = buildFullView(call, { ...view, tool, mayApprove: true });
      assert.match(JSON.stringify(opened), /rm -rf/, JSON.stringify(mark));
    }
  });

  it('of a caller covers all arguments if the schema marks too many', () => {
    const names = Array.from({ length: 100 }, (_, i) => [`k${i}`, { writeOnly: true }]);
    const schema = { type: 'object', properties: Object.fromEntries(names) };
    const { tool, call } = outsideTool({ by: 'key', name: 'bot', schema });
    const card = buildCallCard(aCall({ ...call, args: '{"other":"plain text"}' }), {
      tool,
      mark: TEST_MARK,
    });
    assert.doesNotMatch(JSON.stringify(card), /plain text/);
    assert.equal(actionIds(card.blocks)[0], 'call.open');
  });
});

describe('with any secrets and arguments', () => {
  const text = fc
    .array(fc.constantFrom('Z', 'Q', 'X', '"', '\\', '\n', '/', '+', 'ü', '字', '😀', ' Q'), {
      minLength: 5,
      maxLength: 24,
    })
    .map((parts) => `ZQ${parts.join('')}X`);
  const all = Object.entries({ ...OPERATORS, ...OTHERS });

  it('no surface shows a secret that it must hide, and the arguments that run are unchanged', () => {
    fc.assert(
      fc.property(fc.constantFrom(...all), text, ([who, declared], secret) => {
        const call = Object.freeze(tellAll(declared, secret));
        const before = JSON.stringify(call);
        for (const [name, surface] of Object.entries(surfacesOf(call, declared.tool))) {
          if (Object.hasOwn(OTHERS, who) && SHOWS_CLAIMS.has(name)) continue;
          assert.ok(!tells(surface, secret), `${who}: ${name}`);
        }
        assert.equal(JSON.stringify(call), before);
        assert.equal(callDigestOf(call), call.digest);
      }),
      { numRuns: 100 },
    );
  });

  it('an edit over the API that keeps the masks leaves the arguments unchanged', () => {
    fc.assert(
      fc.property(fc.constantFrom(...all), text, ([, declared], secret) => {
        const call = tellAll(declared, secret);
        const hide = createSecretHider(TEST_MARK, { of: () => declared.tool });
        for (const reveals of [false, true]) {
          const { args, misplaced } = hide.restore(call, hide.args(call, reveals));
          assert.deepEqual(misplaced, []);
          assert.equal(canonicalJson(args), call.args);
        }
      }),
      { numRuns: 100 },
    );
  });
});
