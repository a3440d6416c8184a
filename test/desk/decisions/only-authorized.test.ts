/** No surface decides without `authorize()`: checked in the sources, and on a desk whose people lose their rights. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Call } from '../../../src/domain/calls/call.ts';
import type { Step } from '../../../src/domain/calls/transitions.ts';
import { APPROVER, OUTSIDER, REQUESTER } from '../../support/builders/a-call.ts';
import { importsOf, readSourceTree, type SourceTree } from '../../support/source-tree.ts';
import { approvalDesk, GROUP_ROUTE, loseRun, SURFACES } from '../support/approval-desk.ts';

/** The causes of the steps that a person decides. */
const DECIDED: ReadonlySet<Step['cause']> = new Set([
  'vote',
  'approve',
  'edit',
  'reply',
  'ignore',
  'rerun',
  'settle',
]);

/** An expression in the sources, and the only files that may contain it. */
const ONLY: readonly (readonly [what: string, word: RegExp, places: readonly string[]])[] = [
  [
    'the rulings on decisions',
    /\b(?:rule(?:Decision|Settlement)|check(?:Settlement|Decidable))\(/,
    ['domain/rules/decision-rules.ts', 'desk/decisions/decide.ts'],
  ],
  [
    'the pure right to decide',
    /\bcheckDecisionPermission\(/,
    [
      'domain/rules/decision-permission.ts',
      'domain/rules/execution-rules.ts',
      'desk/decisions/authorize.ts',
    ],
  ],
  ['a decider', /\bcreateDecide\(/, ['desk/decisions/decide.ts', 'desk/desk.ts']],
  [
    'an opening of what is masked',
    /\brecordOpening\(/,
    ['domain/calls/call-secrets.ts', 'desk/decisions/read-full-call.ts'],
  ],
  [
    'a permission made by hand',
    /kind: 'allowed'/,
    [
      'domain/rules/decision-permission.ts',
      'desk/decisions/decide.ts',
      'desk/decisions/authorize.ts',
    ],
  ],
  [
    'a step that a person decides',
    new RegExp(`stepFrom\\([^)]*?'(?:${[...DECIDED].join('|')})'`),
    ['domain/rules/decision-rules.ts'],
  ],
];

function violationsOf(tree: SourceTree): readonly string[] {
  const found: string[] = [];
  for (const [path, text] of tree) {
    for (const [what, word, places] of ONLY) {
      if (word.test(text) && !places.includes(path)) found.push(`${path} has ${what}`);
    }
    if (path === 'desk/decisions/decide.ts' && !/await authorize\(call, command\.by/.test(text)) {
      found.push('desk/decide.ts asks nobody');
    }
    // Outer layers use the desk, and never the decision code behind it.
    const reaches = importsOf(path, text).some((target) => /^desk\/decisions\/decide/.test(target));
    if (reaches && !path.startsWith('desk/')) found.push(`${path} reaches around the desk`);
  }
  return found;
}

describe('the sources', () => {
  it('make a decision in one place, which asks authorize()', () => {
    const tree = readSourceTree(new URL('../../../src/', import.meta.url));
    assert.deepEqual(violationsOf(tree), []);
    for (const [what, word] of ONLY) {
      assert.ok(
        [...tree.values()].some((text) => word.test(text)),
        `nothing has ${what}`,
      );
    }
  });

  const PLANTED: readonly (readonly [path: string, text: string])[] = [
    ['slack/a.ts', 'ruleDecision(call, wish, now, permission, undefined);'],
    ['http/a.ts', "if (checkDecisionPermission(route, a, b, 'approve', known)) go();"],
    ['slack/a.ts', 'const step = recordOpening(call, by, now);'],
    [
      'desk/turns/messages/message-while-waiting.ts',
      "stepFrom(call, 'reply', now, { status: 'replied' });",
    ],
    [
      'desk/cards/render-card.ts',
      'const decide = createDecide(deps, async () => ({ permission }));',
    ],
    ['slack/a.ts', "const permission = { kind: 'allowed', approves: true };"],
    ['desk/decisions/decide.ts', 'const ruling = await rule(call);'],
    ['slack/a.ts', "import { createDecide } from '../desk/decisions/decide.ts';"],
  ];
  for (const [path, text] of PLANTED) {
    it(`are rejected with ${text} in ${path}`, () => {
      assert.equal(violationsOf(new Map([[path, text]])).length, 1);
    });
  }
});

describe('a desk whose people have lost all rights', () => {
  it('writes no decision, whoever clicks, submits or writes anything', async (t) => {
    for (const stalled of [false, true]) {
      const on = await approvalDesk(t, GROUP_ROUTE, { stalled });
      if (stalled) await loseRun(on, APPROVER);
      const written: string[] = [];
      const { ledger } = on.desk.store;
      const write = ledger.write.bind(ledger);
      ledger.write = async (before: Call, steps, effects) => {
        written.push(...steps.map(({ cause }) => cause));
        return await write(before, steps, effects);
      };
      on.directory.setGroup('usergroup:S1', []);
      for (const by of [APPROVER, REQUESTER, OUTSIDER]) {
        for (const surface of SURFACES) await surface.use(on, by);
      }
      await on.desk.send('do it', APPROVER);
      await on.desk.send('do it', OUTSIDER);
      await on.desk.desk.stopAll({ team: 'T1', channel: 'C1', by: OUTSIDER });
      assert.deepEqual(
        written.filter((cause) => DECIDED.has(cause as Step['cause'])),
        [],
      );
    }
  });

  it('writes them if they have rights: the same clicks take effect', async (t) => {
    const on = await approvalDesk(t);
    const written: string[] = [];
    const { ledger } = on.desk.store;
    const write = ledger.write.bind(ledger);
    ledger.write = async (before: Call, steps, effects) => {
      written.push(...steps.map(({ cause }) => cause));
      return await write(before, steps, effects);
    };
    for (const surface of SURFACES) await surface.use(on, APPROVER);
    assert.ok(written.some((cause) => DECIDED.has(cause as Step['cause'])));
  });
});
