/** Routes of the policy file that change while a call is pending, in the real app: the call follows, and a click runs it. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { WorkspaceMessage } from '../../../src/playground/workspace/workspace-port.ts';
import { allText } from '../../support/app/scene.ts';
import { sayText } from '../../support/servers/mock-model.ts';
import { type RedisServer, startRedis } from '../../support/store/redis-server.ts';
import { makeTempDir } from '../../support/temp-dir.ts';
import {
  buttonsOf,
  type FieldStage,
  sayCall,
  setFieldStage,
} from '../field-reports/field-stage.ts';

const policy = (route: string) => `version: 1
routes:
  ops: { ${route} }
rules:
  - { tools: [note], gate: ask, route: ops }
default: { gate: ask, route: requester }
`;
const TWO = 'approvers: ["@approver", "@admin"], quorum: 2';

/** Registers the journey for one store. */
export function routeChangeJourneys(store: 'SQLite' | 'Redis'): void {
  describe(`a route that changes while a call is pending, on ${store}`, () => {
    let stage: FieldStage;
    let redis: RedisServer | undefined;
    let temp: Awaited<ReturnType<typeof makeTempDir>>;

    const change = (route: string) => writeFile(join(temp.path, 'policy.yaml'), policy(route));

    before(async () => {
      redis = store === 'Redis' ? await startRedis(['--appendonly', 'yes']) : undefined;
      temp = await makeTempDir();
      await change(TWO);
      const path = join(temp.path, 'policy.yaml');
      stage = await setFieldStage('http', {
        POLICY_FILE: path,
        ...(redis && { REDIS_URL: redis.url }),
      });
    });
    after(async () => {
      await stage.close();
      await redis?.stop();
      await temp.remove();
    });

    /** Waits for a card in a channel that shows this and can be approved. */
    async function cardIn(channel: string, ...texts: readonly string[]): Promise<WorkspaceMessage> {
      return await stage.workspace.waitFor(
        () =>
          stage.workspace
            .see('admin')
            .messages.find(
              (message) =>
                message.channel === channel &&
                buttonsOf(message).includes('call.approve') &&
                texts.every((text) => allText(message).includes(text)),
            ),
        {
          describe: () =>
            `No card with ${texts} in ${channel}.\n${stage.app().output().slice(-3_000)}`,
        },
      );
    }

    const ran = async () => (await stage.runs()).length;

    it('needs more or fewer approvals, of other people, elsewhere; the change runs nothing, and no call is stuck', async () => {
      stage.play(sayCall('note', { text: 'rent' }), sayText('Noted.'));
      const place = await stage.ask('requester', 'note the rent');
      const first = await stage.card(place, 'rent', 'Approve');
      await stage.press('approver', first, 'call.approve');
      await stage.privately('approver', '1 of 2 approvals so far');

      await change(`${TWO}, channel: "#ops"`);
      await cardIn('C0OPS', 'rent', '1 of 2');
      assert.equal(await ran(), 0);

      await change(
        'approvers: ["@admin", "@approver", "@requester"], quorum: 3, channel: "#ops", selfApproval: true',
      );
      const three = await cardIn('C0OPS', 'rent', '1 of 3');

      await change('approvers: ["@approver"], quorum: 1, channel: "#ops"');
      const one = await cardIn('C0OPS', 'rent', 'it needs 1 approval instead of 3');
      assert.equal(await ran(), 0);
      assert.equal(one.ts, three.ts);

      await stage.press('approver', one, 'call.approve');
      await stage.answer(place, 'Noted.');
      assert.equal(await ran(), 1);
    });

    it('with a changed group in Slack: the approval of a former member is dropped', async () => {
      const { workspace } = stage;
      const id = workspace.setUserGroup('deciders', ['approver', 'admin']);
      await change(`approvers: ["usergroup:${id}"], quorum: 2, channel: "#ops"`);
      stage.play(sayCall('note', { text: 'lease' }), sayText('Noted, too.'));
      const place = await stage.ask('requester', 'note the lease');
      const first = await cardIn('C0OPS', 'lease', '0 of 2');
      await stage.press('approver', first, 'call.approve');
      await cardIn('C0OPS', 'lease', '1 of 2');

      const setMembers = async (...members: readonly string[]) => {
        workspace.setUserGroup('deciders', members);
        await workspace.deliverEvent({
          type: 'subteam_updated',
          subteam: { id, team_id: workspace.team.id, is_usergroup: true, handle: 'deciders' },
          event_ts: '1700000000.000100',
        });
      };
      await setMembers('admin');
      await cardIn('C0OPS', 'lease', '0 of 2');
      const before = await ran();
      await setMembers('admin', 'approver');
      const less = await cardIn('C0OPS', 'lease', '0 of 2', 'waiting for');
      await stage.press('admin', less, 'call.approve');
      const last = await cardIn('C0OPS', 'lease', '1 of 2');
      assert.equal(await ran(), before);
      await stage.press('approver', last, 'call.approve');
      await stage.answer(place, 'Noted, too.');
      assert.equal(await ran(), before + 1);
    });
  });
}
