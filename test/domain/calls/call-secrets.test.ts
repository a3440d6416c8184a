/** Which parts of a call are masked until a person opens it, and whose approval counts. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Call } from '../../../src/domain/calls/call.ts';
import {
  hasOpened,
  recordOpening,
  requiresOpening,
} from '../../../src/domain/calls/call-secrets.ts';
import { callDigestOf, shortDigest } from '../../../src/domain/calls/digest.ts';
import { ruleDecision, ruleSettlement } from '../../../src/domain/rules/decision-rules.ts';
import { isSecretPath, secretPathsOfCall } from '../../../src/domain/secrets/secret-paths.ts';
import { APPROVER, aCall, REQUESTER } from '../../support/builders/a-call.ts';

const MAY = { kind: 'allowed', approves: true } as const;
const ARGS = '{"command":"rm -rf /","host":"db1"}';
const outside = { by: 'key', name: 'bot' } as const;
const masked = aCall({ args: ARGS, proposedArgs: ARGS, outside, secrets: ['command'] });

const seen = ({ id: callId, attempt, digest }: Call) => {
  return { callId, attempt, digest: shortDigest(digest), by: REQUESTER };
};

function approve(call: Call) {
  const command = { ...seen(call), decision: { kind: 'approve' } as const };
  const ruling = ruleDecision(call, command, 5, MAY, undefined);
  return ruling.kind === 'answer' ? ruling.outcome.kind : ruling.steps.map(({ cause }) => cause);
}

function open(call: Call): Call {
  const step = recordOpening(call, REQUESTER, 4);
  assert.ok(step);
  return step.call;
}

describe('the source of a secret', () => {
  const secrets = ['a'];
  for (const [what, call, tool, paths] of [
    ['a tool of ours', { secrets }, undefined, { hidden: ['a'], claimed: [] }],
    ['a tool of ours, as it is now', {}, { secrets }, { hidden: ['a'], claimed: [] }],
    ['the policy', { redact: ['b'], secrets }, undefined, { hidden: ['b', 'a'], claimed: [] }],
    ['a program', { outside, secrets }, undefined, { hidden: [], claimed: ['a'] }],
    [
      'a program, after the policy',
      { outside, secrets, redact: ['b'] },
      undefined,
      { hidden: ['b'], claimed: ['a'] },
    ],
    ['an MCP server', { server: 's', secrets }, undefined, { hidden: [], claimed: ['a'] }],
    [
      'an MCP server, as it is now',
      { server: 's' },
      { server: 's', secrets },
      { hidden: [], claimed: ['a'] },
    ],
    [
      'an MCP server that took a name of ours',
      { secrets },
      { server: 's', secrets },
      { hidden: [], claimed: ['a'] },
    ],
  ] as const) {
    it(`depends on who made the tool: ${what}`, () => {
      assert.deepEqual(secretPathsOfCall(call, tool), paths);
    });
  }

  it('is matched by paths with patterns, and repeated lookups give the same answer', () => {
    const paths = ['a.b', 'x.*.key', 'deep.**.pin', 'list', '*.any'];
    for (const [path, is] of [
      [['a', 'b'], true],
      [['a', 'b', 'c'], true],
      [['a'], false],
      [['a.b'], true],
      [['x', 'y', 'key'], true],
      [['x', 0, 'key'], true],
      [['x', 'key'], false],
      [['deep', 'pin'], true],
      [['deep', 'q', 'r', 'pin'], true],
      [['list', 3, 'z'], true],
      [['lists'], false],
      [['q', 'any'], true],
      [['a', 'b'], true],
    ] as const) {
      assert.equal(isSecretPath(path, paths), is, path.join('.'));
    }
  });
});

describe('an approval of a call with a masked part', () => {
  it('counts only from a person who has opened the call in its current form', () => {
    assert.equal(approve(masked), 'needs-opening');
    const opened = open(masked);
    assert.ok(hasOpened(opened, REQUESTER));
    assert.ok(!hasOpened(opened, APPROVER));
    assert.deepEqual(approve(opened), ['approve']);
    assert.equal(recordOpening(opened, REQUESTER, 9), undefined);
    const changed = { ...opened, attempt: 2, args: '{"command":"reboot"}' };
    const next = { ...changed, digest: callDigestOf(changed) };
    assert.equal(approve(next), 'needs-opening');
    assert.deepEqual(open(next).openings?.length, 1);
  });

  it('is not implied by the settlement that it did not run', () => {
    const unknown = { ...masked, status: 'unknown' } as const;
    const rerun = (call: Call) => {
      const ruling = ruleSettlement(call, { ...seen(call), finding: 'rerun' }, 5, MAY);
      return ruling.kind === 'steps' ? ruling.steps.map(({ cause }) => cause) : ruling.outcome.kind;
    };
    assert.deepEqual(rerun(unknown), ['rerun']);
    assert.deepEqual(rerun(open(unknown)), ['rerun', 'approve']);
  });

  for (const [what, patch] of [
    [
      'looks like a token in a command',
      { args: '{"command":"curl -H \'Authorization: Bearer rm4-rf5-root\'"}' },
    ],
    ['looks like a password in a URL', { args: '{"url":"https://user:rm-rf@example.test"}' }],
    ['looks like a token in the name of an argument', { args: '{"xoxb-1234567890":1}' }],
    ['looks like a token in the preview', { preview: 'sends xoxb-1234567890' }],
    ['looks like a token in an answer', { outside: { ...outside, choices: ['xoxb-1234567890'] } }],
    ['marked is a number', { args: '{"command":7}', outside, secrets: ['command'] }],
    ['marked is null', { args: '{"command":null}', outside, secrets: ['command'] }],
    [
      'marked is nested',
      { args: '{"a":[{"b":{"command":"x"}}]}', outside, secrets: ['a.b.command'] },
    ],
    [
      'repeats a secret of the operator',
      { args: '{"key":"hunter2","note":"hunter2"}', secrets: ['key'] },
    ],
  ] as const) {
    it(`requires that the call is opened if something ${what}`, () => {
      assert.ok(requiresOpening(aCall(patch)));
      assert.equal(approve(aCall(patch)), 'needs-opening');
    });
  }

  for (const [what, patch] of [
    ['nothing is secret', {}],
    [
      'a secret of the operator is only in its own argument',
      { args: '{"key":"hunter2"}', secrets: ['key'] },
    ],
    ['the marked argument is absent', { args: '{"host":"a"}', outside, secrets: ['command'] }],
    ['only the agent’s words hold a token', { words: 'xoxb-1234567890' }],
  ] as const) {
    it(`requires nothing more if ${what}`, () => {
      assert.deepEqual(approve(aCall(patch)), ['approve']);
    });
  }
});
