/** Arguments that the policy shows to nobody, whichever rule matches. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withPolicyDetails } from '../../../src/desk/calls/policy/evaluate-policy.ts';
import { stepFrom } from '../../../src/domain/calls/transitions.ts';
import { combineGateAnswer } from '../../../src/domain/policy/combine-routes.ts';
import { redactedPathsOf } from '../../../src/domain/policy/policy.ts';
import { type GateAnswer, REQUESTER_ROUTE } from '../../../src/domain/policy/route.ts';
import { readPolicy } from '../../../src/policy/file/read-policy.ts';
import { aCall } from '../../support/builders/a-call.ts';
import { loadText } from '../../support/builders/a-policy.ts';

const TEXT = `version: 1
redact:
  - { tools: ["vault__*", login], args: [password, "headers.*"] }
  - { tools: ["*"], args: [token] }
`;

describe('redact', () => {
  it('lists the arguments for the tools that its patterns match', () => {
    const { policy } = loadText(TEXT);
    assert.deepEqual(redactedPathsOf(policy, 'vault__read'), ['password', 'headers.*', 'token']);
    assert.deepEqual(redactedPathsOf(policy, 'login'), ['password', 'headers.*', 'token']);
    assert.deepEqual(redactedPathsOf(policy, 'deploy'), ['token']);
    assert.deepEqual(redactedPathsOf(loadText('version: 1').policy, 'login'), []);
  });

  for (const [what, text, says] of [
    ['no list', 'redact: token', /“redact” can't be "token"/],
    ['no tools', 'redact: [{ args: [token] }]', /tools/],
    ['no arguments', 'redact: [{ tools: [a], args: [] }]', /“args”.*dotted paths/],
    ['a path with an empty step', 'redact: [{ tools: [a], args: [a..b] }]', /dotted paths/],
    [
      'another key',
      'redact: [{ tools: [a], args: [b], when: x }]',
      /“when” is not a key of redact 1/,
    ],
  ] as const) {
    it(`that is invalid makes the file invalid: ${what}`, () => {
      const read = readPolicy(`version: 1\n${text}\n`);
      assert.ok(!read.ok);
      assert.match(read.problems.map(({ message }) => message).join('\n'), says);
    });
  }

  it('is stored with the call for every answer, and never removed', () => {
    const redact = ['token'];
    const answers: readonly GateAnswer[] = [
      { kind: 'run', redact },
      { kind: 'ask', route: REQUESTER_ROUTE, redact },
      { kind: 'refuse', reason: 'No.', redact },
    ];
    for (const answer of answers) {
      const step = stepFrom(aCall({ redact: ['old'] }), 'vote', 1, { status: 'pending' });
      assert.deepEqual(withPolicyDetails(step, answer).call.redact, ['old', 'token'], answer.kind);
      assert.deepEqual(combineGateAnswer(answer, REQUESTER_ROUTE).redact, redact, answer.kind);
    }
    const step = stepFrom(aCall({ redact }), 'vote', 1, { status: 'pending' });
    assert.deepEqual(withPolicyDetails(step, { kind: 'run' }).call.redact, redact);
  });
});
