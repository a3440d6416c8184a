/** What people see of the agent's sessions in Slack: the Messages tab, how a thread stands, and Slack's own stop button. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Stage, setStage } from '../support/stage.ts';

describe('sessions', () => {
  let stage: Stage;
  before(async () => {
    stage = await setStage('http');
  });
  after(() => stage.close());

  const welcomes = (member: string) =>
    stage.workspace
      .see(member)
      .messages.filter(({ blocks }) =>
        JSON.stringify(blocks).includes('Nothing risky runs before'),
      );
  const welcomed = (member: string, times: number) =>
    stage.workspace.waitFor(() => (welcomes(member).length === times ? true : undefined));

  it('welcomes each person once in the Messages tab, over restarts', async () => {
    const { workspace } = stage;
    await workspace.openMessages('requester');
    await welcomed('requester', 1);
    await stage.restart('kill');
    await workspace.openMessages('requester');
    await workspace.openMessages('approver');
    await welcomed('approver', 1);
    assert.equal(welcomes('requester').length, 1);
    const [hello] = welcomes('requester');
    assert.equal(hello?.threadTs, undefined);
  });
});
