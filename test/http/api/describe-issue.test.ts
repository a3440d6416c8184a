/** The errors that a program gets for an invalid body. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeIssues, formatIssue } from '../../../src/http/api/describe-issue.ts';
import { Consume, NewApproval, Report } from '../../../src/http/api/schemas.ts';

const FINE = { action: 'deploy', args: {} };

/** A schema, a body, and each sentence about it. */
const WRONG = [
  [NewApproval, { action: 'deploy' }, '`args` is required and must be an object.'],
  [NewApproval, { ...FINE, args: 'x' }, '`args` must be an object.'],
  [NewApproval, { ...FINE, args: [1] }, '`args` must be an object.'],
  [NewApproval, { args: {} }, '`action` is required and must be a string.'],
  [NewApproval, [], 'The body must be an object.'],
  [
    NewApproval,
    { ...FINE, foo: 1, bar: 2 },
    '`foo` is not a known field.',
    '`bar` is not a known field.',
  ],
  [NewApproval, { ...FINE, risk: 'huge' }, '`risk` must be one of low, medium, high.'],
  [NewApproval, { ...FINE, decisions: [] }, '`decisions` must have at least 1 entry.'],
  [NewApproval, { ...FINE, choices: ['a', 5] }, '`choices.1` must be a string.'],
  [NewApproval, { ...FINE, silent: 'yes' }, '`silent` must be true or false.'],
  [
    NewApproval,
    { ...FINE, description: 'x'.repeat(3_001) },
    '`description` must have at most 3000 characters.',
  ],
  [
    NewApproval,
    { ...FINE, callbackUrl: 'ftp://x' },
    '`callbackUrl` must be a URL that begins with http:// or https://.',
  ],
  [
    NewApproval,
    { ...FINE, requester: 'bob' },
    '`requester` must be a Slack user ID, like U012AB3CD.',
  ],
  [
    NewApproval,
    { ...FINE, deadline: 'soon' },
    '`deadline` must be a whole number of seconds from 1 to 2592000, or a time like 2026-01-31T12:00:00Z.',
  ],
  [Report, { outcome: {} }, '`outcome.status` is required and must be one of succeeded, failed.'],
  [Report, {}, '`outcome` is required and must be an object.'],
  [
    Consume,
    { digest: 'abc' },
    '`digest` must be the digest of the approval, 64 hexadecimal digits.',
  ],
] as const;

describe('the errors of a body', () => {
  for (const [schema, sent, ...said] of WRONG) {
    it(`that makes ${said.join(' ')}`, () => {
      const read = schema.safeParse(sent);
      assert(read.error);
      const found = describeIssues(read.error, sent).map((issue) => formatIssue(issue, 'The body'));
      assert.deepEqual(found, said);
    });
  }
});
