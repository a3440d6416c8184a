/** A workspace of an organization: colleagues whose home is a sibling workspace take part, people of other companies do not. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  DEFAULT_CHANNELS,
  DEFAULT_MEMBERS,
  IDENTITY,
} from '../../src/playground/workspace/workspace-seed.ts';
import { sayText } from '../support/mock-model.ts';
import { type FieldStage, sayCall, setFieldStage } from './field-reports/field-stage.ts';

const SIBLING = 'T0SIBLING';
const COLLEAGUE = {
  name: 'colleague',
  realName: 'Cory (sibling workspace)',
  teamId: SIBLING,
  teams: [SIBLING, IDENTITY.team.id],
};
/** Of the same organization, but not of our workspace. */
const COUSIN = {
  name: 'cousin',
  realName: 'Casey (sibling workspace only)',
  teamId: SIBLING,
  teams: [SIBLING],
};

describe('in a workspace of an organization', () => {
  let stage: FieldStage;
  before(async () => {
    stage = await setFieldStage('http', {}, undefined, {
      enterprise: 'E0ORG',
      members: [...DEFAULT_MEMBERS, COLLEAGUE, COUSIN],
      channels: DEFAULT_CHANNELS.map((channel) =>
        channel.name === 'shared'
          ? { ...channel, members: [...channel.members, 'colleague', 'cousin'] }
          : channel,
      ),
    });
  });
  after(() => stage.close());

  it('a colleague of a sibling workspace asks, edits and approves', async () => {
    stage.play(sayCall('note', { text: 'of a colleague' }), sayText('It is noted.'));
    const place = await stage.ask('colleague', 'note something', 'shared');
    const card = await stage.card(place, 'of a colleague', 'Approve');
    await stage.press('colleague', card, 'call.edit');
    await stage.form('colleague', 'Edit the call');
    await stage.workspace.close('colleague');
    await stage.press('colleague', card, 'call.approve');
    await stage.answer(place, 'It is noted.');
    const [decided] = stage.audit('call.approve');
    assert.equal(decided?.actor, `${IDENTITY.team.id}/U0COLLEAGUE`);
    await stage.workspace.command('colleague', 'shared', '/countersign', 'status');
    await stage.privately('colleague', 'Nothing goes on');
  });

  for (const [who, what] of [
    ['stranger', 'another company'],
    ['cousin', 'the organization who is not of our workspace'],
  ] as const) {
    it(`somebody of ${what} neither asks nor approves`, async () => {
      stage.play(sayCall('note', { text: `before the ${who}` }), sayText('It is noted.'));
      const refused = await stage.ask(who, 'note something else', 'shared');
      await stage.privately(who, 'I only work for members of this workspace');
      assert.deepEqual(stage.cards(refused), []);
      const place = await stage.ask('requester', 'note something', 'shared');
      const card = await stage.card(place, `before the ${who}`, 'Approve');
      const runs = (await stage.runs()).length;
      await stage.press(who, card, 'call.approve');
      await stage.privately(who, 'of this workspace');
      await stage.settled();
      assert.equal((await stage.runs()).length, runs);
      await stage.press('requester', card, 'call.approve');
      await stage.answer(place, 'It is noted.');
    });
  }
});
