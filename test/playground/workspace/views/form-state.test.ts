import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { KnownBlock } from '@slack/types';
import type { Workspace } from '../../../../src/playground/workspace/workspace-port.ts';
import { aModal, input, open, plain, startForm } from './start-form.ts';

test('the client refuses invalid field values, and delivers nothing', async (t) => {
  const { workspace, client, interactions, press } = await startForm(t);
  const blocks = [
    ...aModal().blocks,
    input('count', {
      type: 'number_input',
      action_id: 'n',
      is_decimal_allowed: false,
      min_value: '1',
      max_value: '9',
    }),
    input('mail', { type: 'email_text_input', action_id: 'm' }, { optional: true }),
  ] as KnownBlock[];
  await open(client, await press(), aModal({ blocks }));
  const before = interactions().length;
  assert.deepEqual(await workspace.submit('approver', { name: 'x', count: '10', mail: 'no' }), {
    kind: 'blocked',
    errors: {
      name: 'Must be at least 2 characters long.',
      count: 'Must be at most 9.',
      mail: 'Must be a valid email address.',
    },
  });
  const blocked = await workspace.submit('approver', { name: null, count: '1.5', mail: null });
  assert.deepEqual(blocked.kind === 'blocked' ? blocked.errors : {}, {
    name: 'Please complete this required field.',
    count: 'Must be a whole number.',
  });
  assert.equal(interactions().length, before);
  const fits = await workspace.submit('approver', { name: 'Anna', count: '9' });
  assert.equal(fits.kind, 'acknowledged');
  await assert.rejects(workspace.submit('approver', {}), /has no modal open/);
});

test('a submission has every field, untouched ones with their initial value', async (t) => {
  const { workspace, client, interactions, press } = await startForm(t);
  const option = (value: string) => ({ text: plain(value.toUpperCase()), value });
  const options = [option('a'), option('b')];
  const blocks = [
    input('pick', { type: 'static_select', action_id: 'v', options, initial_option: option('b') }),
    input('boxes', { type: 'checkboxes', action_id: 'v', options }, { optional: true }),
    input('day', { type: 'datepicker', action_id: 'v', initial_date: '2026-01-31' }),
    input('who', { type: 'multi_users_select', action_id: 'who' }),
    input('empty', { type: 'plain_text_input', action_id: 'v' }, { optional: true }),
  ];
  await open(client, await press(), aModal({ blocks, private_metadata: 'p1' }));
  await assert.rejects(
    workspace.submit('approver', { pick: 'c', who: ['x'] }),
    /"c" is not a choice/,
  );
  await assert.rejects(workspace.submit('approver', { v: 'a' }), /matches 4 fields/);
  await workspace.submit('approver', { boxes: ['a'], who: ['U0ADMIN'] });
  const { view, type, user } = interactions().at(-1);
  assert.deepEqual([type, user.id, view.private_metadata], ['view_submission', 'U0APPROVER', 'p1']);
  assert.deepEqual(view.state.values, {
    pick: { v: { type: 'static_select', selected_option: option('b') } },
    boxes: { v: { type: 'checkboxes', selected_options: [option('a')] } },
    day: { v: { type: 'datepicker', selected_date: '2026-01-31' } },
    who: { who: { type: 'multi_users_select', selected_users: ['U0ADMIN'] } },
    empty: { v: { type: 'plain_text_input', value: null } },
  });
});

async function submitWith(t: TestContext, answer: unknown) {
  const form = await startForm(t);
  await open(form.client, await form.press());
  form.answers.push(answer);
  await form.workspace.submit('approver', { name: 'Anna' });
  return form;
}

const troubleOf = (workspace: Workspace) => [
  workspace.see('approver').toasts.map(({ text }) => text),
  workspace.journal
    .filter(({ name }) => name === 'view_submission answer')
    .map(({ problem }) => problem),
];

test('errors of the app are shown at their fields, and the typed values stay', async (t) => {
  const { workspace } = await submitWith(t, {
    response_action: 'errors',
    errors: { name: 'Taken.' },
  });
  const [view] = workspace.see('approver').views;
  assert.deepEqual(view?.errors, { name: 'Taken.' });
  assert.deepEqual(view?.state, { name: { text: { type: 'plain_text_input', value: 'Anna' } } });
  assert.deepEqual(troubleOf(workspace), [[], []]);
});

test('errors for a block that is no input show “trouble connecting”', async (t) => {
  const { workspace } = await submitWith(t, { response_action: 'errors', errors: { nobody: 'x' } });
  assert.equal(workspace.see('approver').views.length, 1);
  const [toasts, problems] = troubleOf(workspace);
  assert.deepEqual(toasts, ['We had some trouble connecting. Try again?']);
  assert.match(problems?.[0] ?? '', /"nobody"/);
});

test('an acknowledgement can update, push and clear; an invalid view shows “trouble connecting”', async (t) => {
  const { workspace, answers } = await submitWith(t, {
    response_action: 'update',
    view: aModal({ title: plain('Second') }),
  });
  const titles = () =>
    workspace.see('approver').views.map(({ view }) => ('title' in view ? view.title.text : ''));
  assert.deepEqual(titles(), ['Second']);
  answers.push({ response_action: 'push', view: aModal({ title: plain('Third') }) });
  await workspace.submit('approver', { name: 'Anna' });
  assert.deepEqual(titles(), ['Second', 'Third']);
  answers.push({
    response_action: 'push',
    view: aModal({ blocks: [], title: plain('x'.repeat(30)) }),
  });
  await workspace.submit('approver', { name: 'Anna' });
  assert.deepEqual(titles(), ['Second', 'Third']);
  assert.equal(troubleOf(workspace)[0]?.length, 1);
  answers.push({ response_action: 'clear' });
  await workspace.submit('approver', { name: 'Anna' });
  assert.deepEqual(titles(), []);
});
