/** Decisions between their claim and their hand-over to the graph. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Call } from '../../../src/domain/calls/call.ts';
import type { Gate } from '../../../src/domain/policy/route.ts';
import { APPROVER } from '../../support/builders/a-call.ts';
import { createTestDirectory } from '../../support/builders/a-directory.ts';
import { askAll } from '../../support/desk/build-desk.ts';
import { buildGraphDesk } from './graph-desk.ts';

function textOf(call: Call | undefined): string {
  const outcome = call?.outcome;
  return outcome && 'text' in outcome ? outcome.text : `no text: ${outcome?.kind}`;
}

it('approved calls of a batch stay approved while a parallel task says something', async (t) => {
  const desk = await buildGraphDesk(t, 'questions', { exported: 'beside' });
  await desk.send('go');
  await desk.approve(await desk.open('first'));
  await desk.reply(await desk.open('colour'), 'red');
  assert.deepEqual(
    (await desk.calls()).map(({ status }) => status),
    ['running', 'pending', 'replied'],
  );
  await desk.approve(await desk.open('second'));
  assert.deepEqual(await desk.ran(), ['{"decisions":[{"type":"approve"},{"type":"approve"}]}']);
});

it('approved calls are handed over even if a parallel question that accepts only text ends the turn', async (t) => {
  const desk = await buildGraphDesk(t, 'questions', { exported: 'beside' });
  await desk.send('go');
  await desk.approve(await desk.open('first'));
  await desk.clock.advance(25 * 3_600_000);
  assert.match(desk.said().at(-1) ?? '', /does not accept this answer.*nobody decided in time/);
  assert.match((await desk.ran()).join(), /^{"decisions":\[{"type":"approve"},{"type":"edit"/);
  const ends = (await desk.calls()).map(({ status }) => status);
  assert.deepEqual(ends, ['failed', 'expired', 'expired']);
});

it('a call does not run if its approver has lost the right by the hand-over, even if it was claimed long ago', async (t) => {
  const directory = createTestDirectory();
  const approvers = [`user:${APPROVER.user}`, 'requester'] as const;
  const gate = askAll({ approvers });
  const desk = await buildGraphDesk(t, 'their-middleware', { gate, directory });
  await desk.send('delete 3');
  await desk.decide(await desk.open('file-1'), APPROVER);
  await desk.approve(await desk.open('file-2'));
  await desk.clock.advance(3_600_000);
  directory.setPerson(APPROVER.user, { standing: 'gone', isAdmin: false });
  await desk.approve(await desk.open('file-3'));
  assert.deepEqual(await desk.ran(), ['file-2', 'file-3']);
  const [call] = await desk.calls();
  assert.match(
    textOf(call),
    /^Not handed over, or not again after a crash: too few .* may still approve it\.$/,
  );
  assert.match(desk.said().at(-1) ?? '', /Deleted file-2\. \/ Deleted file-3\./);
});

it('a call does not run if the policy refuses it by the hand-over, and does not count for later calls', async (t) => {
  const ask = askAll();
  let isForbidden = false;
  const gate: Gate = (facts) => {
    const isFirst = JSON.stringify(facts.args).includes('file-1');
    if (!isFirst) return ask(facts);
    return isForbidden ? { kind: 'refuse', reason: 'Never that.' } : { kind: 'run' };
  };
  const desk = await buildGraphDesk(t, 'their-middleware', { gate });
  await desk.send('delete 3');
  await desk.approve(await desk.open('file-2'));
  await desk.clock.advance(3_600_000);
  isForbidden = true;
  await desk.approve(await desk.open('file-3'));
  assert.deepEqual(await desk.ran(), ['file-2', 'file-3']);
  assert.match(textOf((await desk.calls())[0]), /^Not handed over, .*: Never that\.$/);
});

it('a call does not run if its approver cannot be looked up for a long time, and its outcome says so', async (t) => {
  const directory = createTestDirectory();
  directory.setGroup('usergroup:S1', [APPROVER.user]);
  const gate = askAll({ approvers: ['usergroup:S1', 'requester'] });
  const desk = await buildGraphDesk(t, 'their-middleware', { gate, directory });
  await desk.send('delete 2');
  await desk.decide(await desk.open('file-1'), APPROVER);
  await desk.clock.advance(3_600_000);
  directory.failGroups(new Error('Slack is down.'));
  await desk.approve(await desk.open('file-2'));
  assert.deepEqual(await desk.ran(), []);
  await desk.clock.advance(3_600_000);
  await desk.rest();
  assert.deepEqual(await desk.ran(), ['file-2']);
  assert.match(textOf((await desk.calls())[0]), /^Not handed over, .* Slack can’t tell who may/);
});
