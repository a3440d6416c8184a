/** A call that nobody can approve is reported at once. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ChatError } from '../../../src/domain/ports/chat.ts';
import { plainSentence } from '../../../src/domain/text/sentence.ts';
import { APPROVER, REQUESTER } from '../../support/builders/a-call.ts';
import { createTestDirectory, type TestDirectory } from '../../support/builders/a-directory.ts';
import { createRecordedTool } from '../../support/builders/recorded-tool.ts';
import { askAll, buildDesk } from '../../support/desk/build-desk.ts';
import { sayCalls, sayText } from '../../support/servers/mock-model.ts';
import { type ApprovalDesk, approvalDesk, GROUP_ROUTE } from '../support/approval-desk.ts';

const MORE_MS = 300_000;

async function gapOf(on: ApprovalDesk): Promise<string> {
  const { id } = await on.call();
  return plainSentence(on.desk.chat.outlooks.get(id)?.gap ?? '');
}

describe('a call that nobody can approve', () => {
  const cases: readonly [
    string,
    Parameters<typeof approvalDesk>[1],
    RegExp,
    ((d: TestDirectory) => void)?,
  ][] = [
    [
      'the route has no approvers',
      { name: 'none', approvers: [] },
      /the route “none” has no approvers/,
    ],
    [
      'the group is empty',
      GROUP_ROUTE,
      /@ops \(usergroup:S1\) \(nobody is in it\)/,
      (directory) => directory.setGroup('usergroup:S1', [], { handle: 'ops' }),
    ],
    [
      'the group does not exist',
      { ...GROUP_ROUTE, approvers: ['usergroup:S9'] },
      /usergroup:S9 \(There is no such group\)/,
    ],
    [
      'all approvers were deactivated',
      { ...GROUP_ROUTE, approvers: ['user:U2', 'usergroup:S1'] },
      /U2 \(deactivated\), @ops \(usergroup:S1\) \(nobody in it may approve\)/,
      (directory) => {
        directory.setPerson('U2', { standing: 'gone' });
        directory.setPerson('U3', { standing: 'gone' });
      },
    ],
    [
      'only the requester is left, who may not approve',
      { ...GROUP_ROUTE, approvers: ['requester', 'usergroup:S1'] },
      /may not approve their own call/,
      (directory) => directory.setGroup('usergroup:S1', ['U1'], { handle: 'ops' }),
    ],
    [
      'there are fewer approvers than the quorum',
      { ...GROUP_ROUTE, quorum: 3 },
      /This can’t be approved: it needs 3 approvals and only 2 people may give one\./,
    ],
  ];
  for (const [title, route, gap, prepare] of cases) {
    it(`is reported on the card and to the requester with the remedy: ${title}`, async (t) => {
      const directory = createTestDirectory();
      directory.setGroup('usergroup:S1', ['U2', 'U3'], { handle: 'ops' });
      prepare?.(directory);
      const on = await approvalDesk(t, route, { directory });
      assert.match(await gapOf(on), gap);
      assert.match(await gapOf(on), /An admin can change the route\./);
      const told = on.told(REQUESTER);
      assert.equal(told.length, 1);
      assert.match(told[0] ?? '', gap);
      assert.match(told[0] ?? '', /“Act: a”: This can’t be approved/);
    });
  }

  it('is not reported from a cached group that somebody has just joined', async (t) => {
    const directory = createTestDirectory();
    directory.setGroup('usergroup:S1', ['U2'], { handle: 'ops' });
    const before = { members: new Set<string>(), handle: 'ops' };
    const remembering: TestDirectory = {
      ...directory,
      groupOf: async (group, asking = {}) =>
        asking.maxAgeMs === undefined ? before : await directory.groupOf(group, asking),
    };
    const on = await approvalDesk(t, GROUP_ROUTE, { directory: remembering });
    assert.equal(await gapOf(on), '');
    assert.deepEqual(on.told(REQUESTER), []);
  });

  it('is reported once, checked again, and shown as fixed', async (t) => {
    const on = await approvalDesk(t, { ...GROUP_ROUTE, quorum: 3 });
    await on.desk.clock.advance(MORE_MS);
    await on.desk.worker.idle();
    assert.equal(on.told(REQUESTER).length, 1);
    on.directory.setGroup('usergroup:S1', ['U2', 'U3', 'U4'], { handle: 'ops' });
    await on.desk.clock.advance(MORE_MS);
    await on.desk.worker.idle();
    assert.equal(await gapOf(on), '');
  });

  it('is also detected later, when the card is redrawn', async (t) => {
    const on = await approvalDesk(t, { ...GROUP_ROUTE, quorum: 2 });
    assert.equal(await gapOf(on), '');
    on.directory.setPerson('U3', { standing: 'gone' });
    await on.desk.decide(await on.call(), APPROVER);
    assert.match(await gapOf(on), /only 1 person may give one/);
    assert.equal(on.told(REQUESTER).length, 1);
  });
});

describe('a card', () => {
  it('names the people it waits for, and those of them who cannot approve', async (t) => {
    const on = await approvalDesk(t, {
      ...GROUP_ROUTE,
      approvers: ['user:U2', 'user:U3', 'usergroup:S1'],
      quorum: 1,
    });
    const { id } = await on.call();
    const named = () => {
      const availability = on.desk.chat.outlooks.get(id);
      const { awaited = [], unable = [] } = availability ?? {};
      return [
        awaited.map((each) => plainSentence(each)),
        unable.map((each) => plainSentence(each)),
      ];
    };
    assert.deepEqual(named(), [['U2', 'U3', '@ops (usergroup:S1)'], []]);
    on.directory.setPerson('U3', { standing: 'guest', name: 'Gale' });
    const edit = { kind: 'edit', args: { note: 'b' }, keepsUnseen: true } as const;
    await on.desk.decide(await on.call(), APPROVER, edit);
    assert.deepEqual(named(), [['U2', '@ops (usergroup:S1)'], ['Gale (U3) (a guest)']]);
    assert.deepEqual(on.told(REQUESTER), []);
  });

  it('is posted without these names while Slack does not answer, and updated a minute later', async (t) => {
    const directory = createTestDirectory();
    directory.setGroup('usergroup:S1', ['U2'], { handle: 'ops' });
    directory.failGroups(new ChatError('temporary', 'Slack is down.'));
    const on = await approvalDesk(t, GROUP_ROUTE, { directory });
    const { id } = await on.call();
    assert.equal(on.desk.chat.posts.get(id), 1);
    assert.equal(on.desk.chat.outlooks.get(id), undefined);
    directory.failGroups(undefined);
    await on.desk.clock.advance(60_000);
    await on.desk.worker.idle();
    assert.equal(on.desk.chat.outlooks.get(id)?.awaited.length, 1);
    assert.equal(on.desk.chat.posts.get(id), 1);
  });

  it('looks up only as many members of a large group as needed', async (t) => {
    const directory = createTestDirectory();
    const many = Array.from({ length: 3_000 }, (_, i) => `U${i + 100}`);
    directory.setGroup('usergroup:S1', many);
    const tool = createRecordedTool();
    const desk = await buildDesk(t, {
      gate: askAll({ ...GROUP_ROUTE, quorum: 2 }),
      tools: [tool.definition],
      directory,
    });
    desk.model.script((_request, index) =>
      index === 0 ? sayCalls([{ name: 'act', args: '{"note":"a"}' }]) : sayText('Done.'),
    );
    await desk.send('please act');
    const [call] = await desk.calls();
    assert.equal(call && desk.chat.outlooks.get(call.id)?.gap, undefined);
    assert.ok(directory.asked() < 20, `${directory.asked()}`);
  });
});
