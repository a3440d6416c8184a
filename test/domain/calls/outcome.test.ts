import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callEditOf } from '../../../src/domain/calls/call-edit.ts';
import { type Outcome, toToolReply } from '../../../src/domain/calls/outcome.ts';
import { APPROVER, aCall, REQUESTER } from '../../support/builders/a-call.ts';

const OUTCOMES: readonly Outcome[] = [
  { kind: 'result', text: 'the result' },
  { kind: 'error', text: 'the error' },
  { kind: 'reply', text: 'use b.txt', by: REQUESTER },
  { kind: 'ignored', by: REQUESTER },
  { kind: 'expired' },
  { kind: 'withdrawn', cause: 'new-message' },
  { kind: 'withdrawn', cause: 'ignored-sibling' },
  { kind: 'withdrawn', cause: 'stop' },
  { kind: 'withdrawn', cause: 'turn-ended' },
  { kind: 'refused', reason: 'The policy says no.' },
  { kind: 'unknown', reason: 'the process died while it ran.' },
];

const EDITED = aCall({
  args: '{"path":"b.txt"}',
  proposedArgs: '{"old":1,"path":"a.txt"}',
  editedBy: APPROVER,
});

const RAN: ReadonlySet<Outcome['kind']> = new Set(['result', 'error', 'unknown']);

test('a result is reported as it is', () => {
  assert.deepEqual(toToolReply({ kind: 'result', text: 'the result' }), {
    v: 1,
    text: 'the result',
    status: 'ok',
    endsTurn: false,
  });
});

test('changed arguments are reported with the result and with the error', () => {
  for (const kind of ['result', 'error'] as const) {
    const { text } = toToolReply({ kind, text: 'the end' }, callEditOf(EDITED));
    assert.equal(
      text,
      'A person changed the arguments before approving. Edited by U2: old: from 1 to nothing; path: from "a.txt" to "b.txt". Do not ask for the old call again.\nIt ran with: {"path":"b.txt"}\nthe end',
    );
  }
});

test('the text for a call that did not run starts with that', () => {
  for (const outcome of OUTCOMES.filter(({ kind }) => !RAN.has(kind))) {
    assert.match(toToolReply(outcome).text, /^Not run\b/, outcome.kind);
  }
  for (const outcome of OUTCOMES.filter(({ kind }) => RAN.has(kind))) {
    assert.doesNotMatch(toToolReply(outcome).text, /^Not run\b/, outcome.kind);
  }
});

test('only results and replies are reported as successful', () => {
  for (const outcome of OUTCOMES) {
    const isFine = outcome.kind === 'result' || outcome.kind === 'reply';
    assert.equal(toToolReply(outcome).status, isFine ? 'ok' : 'error', outcome.kind);
  }
});

test('an ignored and a withdrawn call end the turn, other outcomes do not', () => {
  for (const outcome of OUTCOMES) {
    const ends = outcome.kind === 'ignored' || outcome.kind === 'withdrawn';
    assert.equal(toToolReply(outcome).endsTurn, ends, outcome.kind);
  }
});

test('an expired call is not reported as a denial', () => {
  const { text } = toToolReply({ kind: 'expired' });
  assert.match(text, /nobody decided in time/);
  assert.match(text, /not a denial/);
});

test('the words of people and the reason of the policy reach the model', () => {
  assert.match(toToolReply({ kind: 'reply', text: 'use b.txt', by: REQUESTER }).text, /use b\.txt/);
  assert.match(toToolReply({ kind: 'refused', reason: 'The policy says no.' }).text, /says no/);
  assert.match(toToolReply({ kind: 'unknown', reason: 'it died.' }).text, /not known.*it died/);
});
