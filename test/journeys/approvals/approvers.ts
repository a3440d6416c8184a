/** A group of approvers decides over signed HTTP: calls that need two members, and people who are not members or have left. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, beforeEach, describe, it } from 'node:test';
import { REQUESTER_ROUTE, type Route } from '../../../src/domain/policy/route.ts';
import type { WorkspaceMessage } from '../../../src/playground/workspace/workspace-port.ts';
import { allText, type Place } from '../../support/app/scene.ts';
import { type MockAnswer, sayText } from '../../support/servers/mock-model.ts';
import { type RedisServer, startRedis } from '../../support/store/redis-server.ts';
import { until } from '../../support/until.ts';
import { buttonsOf, sayCall } from '../field-reports/field-stage.ts';
import { type InnerStage, setInnerStage } from '../field-reports/inner-stage.ts';

const GROUP = ['requester', 'approver', 'admin'] as const;
const MINUTE_MS = 60_000;

/** Registers the journeys for one store. */
export function approversJourneys(store: 'SQLite' | 'Redis'): void {
  describe(`a group of approvers on ${store}`, () => {
    let stage: InnerStage;
    let redis: RedisServer | undefined;
    let group: string;

    before(async () => {
      redis = store === 'Redis' ? await startRedis(['--appendonly', 'yes']) : undefined;
      stage = await setInnerStage('http', redis && { REDIS_URL: redis.url });
    });
    after(async () => {
      await stage.close();
      await redis?.stop();
    });
    beforeEach(() => {
      group = stage.workspace.setUserGroup('ops-approvers', GROUP);
      askGroup();
    });

    function askGroup(route: Partial<Route> = {}): void {
      const approvers = [`usergroup:${group}` as const];
      const more = { name: 'ops', approvers, quorum: 2, selfApproval: false, ...route };
      stage.setGate(() => ({ kind: 'ask', route: { ...REQUESTER_ROUTE, ...more } }));
    }

    function play(...answers: readonly MockAnswer[]): void {
      stage.model.script((_request, index) => {
        const answer = answers[index];
        if (!answer) throw new Error(`The model was asked ${index + 1} times.`);
        return answer;
      });
    }

    /** A thread in a public channel, with the card of one call. */
    async function cardOf(text: string) {
      play(sayCall('note', { text }), sayText(`${text} is noted.`));
      const place = await stage.ask('requester', `note ${text}`, 'ops');
      return { place, card: await stage.card(place, text, 'Waiting for a decision') };
    }

    async function approve(member: string, place: Place): Promise<void> {
      const [card] = stage.cards(place);
      assert.ok(card);
      await stage.press(member, card, 'call.approve');
    }

    async function noted(text: string): Promise<number> {
      const runs = await readFile(stage.runJournal, 'utf8').catch(() => '');
      return runs.split('\n').filter((line) => line.includes(`"text":"${text}"`)).length;
    }

    const isPending = (card: WorkspaceMessage | undefined) =>
      card !== undefined && buttonsOf(card).includes('call.approve');

    it('needs two different members, who are mentioned once by the new card and then counted', async () => {
      const { place, card } = await cardOf('two');
      assert.match(allText(card), /0 of 2 approvals/);
      assert.match(allText(card), /waiting for <!subteam\^S0OPSAPPROVERS>/);
      await approve('approver', place);
      const counted = await stage.card(place, '1 of 2 approvals by <@U0APPROVER>');
      assert.match(allText(counted), /waiting for @ops-approvers/);
      assert.doesNotMatch(JSON.stringify(counted.blocks), /<!subteam|<@U0ADMIN>/);
      await stage.privately('approver', '1 of 2 approvals so far');
      await approve('approver', place);
      await stage.privately('approver', 'you have already given your approval');
      assert.equal(await noted('two'), 0);
      await approve('admin', place);
      await stage.answer(place, 'two is noted.');
      await stage.card(place, 'approved by <@U0APPROVER>, <@U0ADMIN>', 'Done');
      assert.equal(await noted('two'), 1);
    });

    it('starts counting again after an edit by a member, and the approved version runs', async () => {
      const { place, card } = await cardOf('before');
      await approve('approver', place);
      await stage.card(place, '1 of 2 approvals by <@U0APPROVER>');
      await stage.press('admin', card, 'call.edit');
      await stage.form('admin', 'Edit the call');
      await stage.workspace.submit('admin', { text: 'after' });
      const edited = await stage.card(place, 'version 2', '1 of 2 approvals by <@U0ADMIN>');
      assert.ok(isPending(edited));
      await approve('approver', place);
      await stage.answer(place, 'before is noted.');
      assert.deepEqual([await noted('before'), await noted('after')], [0, 1]);
    });

    it('rejects approvals by the requester, even as a member, and by non-members', async () => {
      const { place, card } = await cardOf('own');
      await approve('requester', place);
      await stage.privately('requester', 'does not let people approve their own calls');
      await approve('outsider', place).catch(() => undefined);
      const { id, teamId } = stage.workspace.member('outsider');
      const press = stage.workspace.journal.findLast(({ name }) => name === 'block_actions');
      const payload = { ...(press?.request as object), user: { id, team_id: teamId } };
      await stage.workspace.deliverInteraction(payload);
      await stage.privately('outsider', 'Only @ops-approvers may decide this call.');
      const [now] = stage.cards(place);
      assert.deepEqual(now?.blocks, card.blocks);
      await stage.press('admin', card, 'call.ignore');
      await stage.card(place, 'Ignored');
      assert.equal(await noted('own'), 0);
    });

    it('does not count members who have left by the time of the run', async () => {
      const { place } = await cardOf('left');
      await approve('approver', place);
      await stage.card(place, '1 of 2 approvals by <@U0APPROVER>');
      stage.workspace.setUserGroup('ops-approvers', ['requester', 'admin', 'outsider']);
      await approve('admin', place);
      const back = await stage.card(
        place,
        '<@U0APPROVER> (no longer an approver of this call). Nothing was run.',
        '1 of 2 approvals by <@U0ADMIN>',
      );
      assert.ok(isPending(back));
      assert.equal(await noted('left'), 0);
      // A new member is not refused from a cached list.
      stage.workspace.setUserGroup('ops-approvers', GROUP);
      await stage.clock.advance(5_000);
      await approve('approver', place);
      await stage.answer(place, 'left is noted.');
      assert.equal(await noted('left'), 1);
    });

    it('refuses a decision while Slack cannot list its members, and accepts it afterwards', async () => {
      const { place } = await cardOf('silent');
      await stage.clock.advance(MINUTE_MS);
      stage.workspace.faults.api('usergroups.users.list', { kind: 'status', status: 500 }, 50);
      await approve('approver', place);
      await stage.privately('approver', 'I can’t look up in Slack who may decide this');
      assert.ok(isPending(stage.cards(place)[0]));
      stage.workspace.faults.clear();
      await approve('approver', place);
      await approve('admin', place);
      await stage.answer(place, 'silent is noted.');
    });

    it('delays the run while Slack cannot list its members, and runs once', async () => {
      const { place } = await cardOf('later');
      await approve('approver', place);
      await stage.card(place, '1 of 2');
      // Cached for the press, looked up again for the run.
      stage.workspace.faults.api('usergroups.users.list', { kind: 'status', status: 500 }, 1);
      await approve('admin', place);
      await stage.card(place, 'Approved, about to run');
      // The run may be tried before or after the clock advances.
      const isNoted = () =>
        stage.thread(place).some((each) => allText(each).includes('later is noted.'));
      await until(async () => {
        await stage.clock.advance(2_000);
        return isNoted();
      }, 50);
      assert.equal(await noted('later'), 1);
    });

    it('adds a reason to each approval if the route requires one, also in the full view', async () => {
      askGroup({ requiresReason: true });
      const { place, card } = await cardOf('why');
      await stage.press('approver', card, 'call.approve');
      await stage.form('approver', 'Approve');
      assert.equal((await stage.workspace.submit('approver', { reason: '' })).kind, 'blocked');
      await stage.workspace.submit('approver', { reason: 'It is in the plan.' });
      await stage.card(place, '1 of 2 approvals by <@U0APPROVER>', 'It is in the plan.');
      await stage.press('admin', card, 'call.approve');
      await stage.form('admin', 'Approve');
      await stage.workspace.submit('admin', { reason: 'Checked twice.' });
      await stage.answer(place, 'why is noted.');
      await stage.press('requester', await stage.card(place, 'why', 'Done'), 'call.open');
      await stage.view('requester', 'It is in the plan.');
      await stage.view('requester', 'Checked twice.');
      const { messages } = stage.model.requests.at(-1) ?? { messages: [] };
      const heard = messages.findLast(({ role }) => role === 'tool');
      assert.match(String(heard?.content), /^Approved by U0APPROVER: It is in the plan\.\n/);
    });

    it('asks for the reason in the full view if the call does not fit its card', async () => {
      askGroup({ requiresReason: true, quorum: 1 });
      const long = `long ${'x'.repeat(4_000)}`;
      play(sayCall('note', { text: long }), sayText('It is noted.'));
      const place = await stage.ask('requester', 'note much', 'ops');
      const card = await stage.card(place, 'This card can’t show everything');
      await stage.press('approver', card, 'call.open');
      await stage.view('approver', 'page 1 of');
      for (;;) {
        const view = stage.workspace.see('approver').views.at(-1)?.view;
        if (buttonsOf({ blocks: view?.blocks ?? [] }).includes('call.approve')) break;
        const at = /page (\d+) of/.exec(JSON.stringify(view))?.[1];
        await stage.workspace.clickInView('approver', { actionId: 'call.page' });
        await stage.view('approver', `page ${Number(at) + 1} of`);
      }
      await stage.workspace.clickInView('approver', { actionId: 'call.approve' });
      await stage.form('approver', 'Approve');
      await stage.workspace.submit('approver', { reason: 'Read whole.' });
      await stage.answer(place, 'It is noted.');
    });

    it('without members is reported at once, with how to fix it', async () => {
      stage.workspace.setUserGroup('ops-approvers', []);
      await stage.clock.advance(MINUTE_MS);
      const { card } = await cardOf('nobody');
      assert.match(
        allText(card),
        /This can’t be approved: it needs 2 approvals and nobody may give one\. Can’t approve: @ops-approvers \(nobody is in it\)/,
      );
      await stage.privately('requester', 'This can’t be approved');
    });
  });
}
