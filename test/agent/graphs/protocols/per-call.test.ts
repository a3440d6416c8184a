/** The protocol against the real middleware. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { perCallProtocol } from '../../../../src/agent/graphs/protocols/per-call.ts';

const value = {
  countersign: 1,
  call: { id: 'c1', name: 'pay', args: { euros: 3 } },
  description: 'Pays Ann.',
};

it('a question is one request, and each decision is an answer of its own', () => {
  assert.deepEqual(perCallProtocol.parse(value), [
    {
      tool: 'pay',
      args: { euros: 3 },
      description: 'Pays Ann.',
      decisions: ['approve', 'edit', 'reply', 'ignore'],
    },
  ]);
  const answers = [
    { kind: 'approve' },
    { kind: 'edit', args: { euros: 2 } },
    { kind: 'reply', text: 'No.' },
    { kind: 'ignore' },
  ] as const;
  assert.deepEqual(
    answers.map((answer) => perCallProtocol.encode(value, [answer])),
    [
      { type: 'approve' },
      { type: 'edit', args: { euros: 2 } },
      { type: 'reply', text: 'No.' },
      { type: 'ignore' },
    ],
  );
});

it('another question does not match, and a wrong number of answers is rejected', () => {
  assert.equal(perCallProtocol.parse({ v: 1, call: { name: 'pay', args: {} } }), undefined);
  assert.equal(perCallProtocol.parse('Pay?'), undefined);
  assert.throws(() => perCallProtocol.encode(value, []), /0 decisions do not match an interrupt/);
});
