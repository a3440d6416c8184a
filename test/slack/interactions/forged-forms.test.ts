/** Submissions that Slack’s client would not send: each form enforces its own limits, over both transports. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { RouteControl } from '../../../src/desk/control/routes.ts';
import type { Call } from '../../../src/domain/calls/call.ts';
import { canonicalJson, type JsonValue } from '../../../src/domain/json/json.ts';
import type { AdminRouteDraft } from '../../../src/domain/policy/admin-routes.ts';
import {
  ALL_ARGS as ARGS,
  FORM_TOOLS,
  LONG_ARGS,
  ALL_KINDS as PAY,
} from '../support/forms-tools.ts';
import { type Delivery, type SlackStage, setSlackStage } from '../support/slack-stage.ts';

type Json = Record<string, unknown>;

for (const delivery of ['http', 'socket'] as const) forgedOver(delivery);

function forgedOver(delivery: Delivery): void {
  describe(`a forged form over ${delivery}`, () => {
    let stage: SlackStage;
    let original: Pick<SlackStage['desk'], 'decide' | 'checkDecision'>;
    const drafts: AdminRouteDraft[] = [];
    const book = { revision: 1, routes: [], removed: [] };
    const routes: RouteControl = {
      list: async () => ({ kind: 'routes', book, policy: undefined }),
      set: async ({ draft }) => {
        drafts.push(draft);
        return { kind: 'unchanged' };
      },
      remove: async () => ({ kind: 'saved', book }),
    };
    before(async () => {
      stage = await setSlackStage(delivery, { tools: [PAY, ...FORM_TOOLS], routes });
      original = { decide: stage.desk.decide, checkDecision: stage.desk.checkDecision };
    });
    after(() => stage.close());
    beforeEach(async () => {
      Object.assign(stage.desk, { ...original, outcome: undefined });
      stage.desk.commands.length = 0;
      drafts.length = 0;
      while (top() !== undefined) await stage.workspace.close('requester');
    });

    const shown = () => stage.workspace.see('requester').views.at(-1);
    const top = () => shown()?.view;
    const waitForText = (text: string) =>
      stage.workspace.waitFor(
        () => (JSON.stringify(shown() ?? '').includes(text) ? true : undefined),
        { describe: () => JSON.stringify({ shown: shown(), logged: stage.logged }) },
      );

    async function open(patch: Partial<Call>, actionId: string, title: string): Promise<Call> {
      const call = await stage.callIn(patch);
      const place = await stage.draw(call);
      await stage.workspace.click('requester', { ...place, actionId });
      await waitForText(title);
      stage.desk.decide = async (command) => {
        stage.desk.commands.push(command);
        return { kind: 'decided', call };
      };
      return call;
    }
    const openEdit = (tool: string, args: JsonValue) =>
      open({ tool, args: canonicalJson(args) }, 'call.edit', 'Edit the call');

    /** The block of the view whose element has this action id. */
    function blockOf(actionId: string): string {
      const blocks = (top()?.blocks ?? []) as unknown as readonly Json[];
      const found = blocks.find(({ element }) => (element as Json)?.action_id === actionId);
      return String(found?.block_id);
    }

    /** Sends the current view with these values in place of its own. */
    async function send(values: Json, patch: Json = {}): Promise<Json> {
      const { id, teamId } = stage.workspace.member('requester');
      const ack = await stage.workspace.deliverInteraction({
        type: 'view_submission',
        team: { id: stage.workspace.team.id },
        user: { id, team_id: teamId },
        api_app_id: stage.workspace.app.id,
        view: { ...top(), id: shown()?.id, state: { values }, ...patch },
      });
      assert.equal(ack.kind, 'acknowledged');
      return ((ack as { readonly body?: Json }).body ?? {}) as Json;
    }

    const edits: readonly (readonly [what: string, field: string, state: Json, message: RegExp])[] =
      [
        ['3,001 characters', 'text', { value: 'x'.repeat(3_001) }, /At most 3,000 characters/],
        ['an empty text that is required', 'text', { value: null }, /needs a value/],
        ['1e3 as a whole number', 'count', { value: '1e3' }, /whole number/],
        ['a hexadecimal number', 'count', { value: '0x5' }, /whole number/],
        ['a number with blanks', 'count', { value: ' 5' }, /whole number/],
        ['a number with a plus', 'count', { value: '+5' }, /whole number/],
        ['a number in other digits', 'count', { value: '٥' }, /whole number/],
        ['less than the least', 'count', { value: '0' }, /Write 1 or more/],
        ['more than the most', 'count', { value: '10' }, /Write 9 or less/],
        ['a number with commas', 'rate', { value: '1,000' }, /a point/],
        ['1e3 as a decimal', 'rate', { value: '1e3' }, /a point|exactly/],
        ['a number with too many digits', 'rate', { value: '0.12345678901234567890' }, /exactly/],
        ['an option that is not offered', 'kind', option('2'), /Choose from the list/],
        ['the place of an option in another notation', 'kind', option('00'), /from the list/],
        ['several of one option', 'kind', options('0', '1'), /can’t hold/],
        ['an option twice', 'tags', options('1', '1'), /Choose from the list/],
        ['an option beyond the list', 'tags', options('3'), /Choose from the list/],
        ['one option where there are several', 'tags', option('1'), /can’t hold/],
        ['no e-mail address', 'mail', { value: 'nobody' }, /e-mail address/],
        ['a day that is none', 'day', { selected_date: '2026-02-30' }, /Choose a date/],
        ['a list with 1e3', 'list', { value: '1\n1e3' }, /Line 2: Write a whole number/],
        ['a state of another type', 'text', { type: 'checkboxes', value: 'x' }, /can’t hold/],
      ];
    for (const [what, field, state, message] of edits) {
      it(`of an edit is refused on its field: ${what}`, async () => {
        await openEdit('pay', ARGS);
        const block = blockOf(field);
        const { response_action: action, errors } = await send({ [block]: { [field]: state } });
        assert.equal(action, 'errors');
        assert.deepEqual(Object.keys(errors as Json), [block]);
        assert.match(String((errors as Json)[block]), message);
        assert.deepEqual(stage.desk.commands, []);
      });
    }

    it('of an edit can’t change a secret, nor a field of another page', async () => {
      await openEdit('pay', ARGS);
      assert.doesNotMatch(JSON.stringify(top()), /1234/);
      const block = blockOf('text');
      await send({
        [block]: { text: { type: 'plain_text_input', value: 'changed' }, pin: { value: '0000' } },
        pin: { pin: { value: '0000' } },
      });
      const [command] = stage.desk.commands as readonly { readonly decision?: Json }[];
      assert.deepEqual(command?.decision?.args, { ...ARGS, text: 'changed' });
    });

    it('of an edit with the fields of another page is redrawn, and saves nothing', async () => {
      await openEdit('long', LONG_ARGS);
      await stage.workspace.submit('requester', {});
      await waitForText('Page 2 of 3');
      const later = blockOf('f35');
      await stage.workspace.clickInView('requester', { actionId: 'form.back' });
      await waitForText('Page 1 of 3');
      const { response_action: action, view } = await send({ [later]: { f35: { value: 'evil' } } });
      assert.equal(action, 'update');
      assert.match(JSON.stringify(view), /changed before you sent it/);
      assert.deepEqual(stage.desk.commands, []);
    });

    it('keeps the typed values when a click in it sends more than a field may hold', async () => {
      await openEdit('pay', ARGS);
      const { id, teamId } = stage.workspace.member('requester');
      const block = blockOf('text');
      const values = { [block]: { text: { value: 'x'.repeat(3_001) } } };
      await stage.workspace.deliverInteraction({
        type: 'block_actions',
        team: { id: stage.workspace.team.id },
        user: { id, team_id: teamId },
        api_app_id: stage.workspace.app.id,
        container: { type: 'view', view_id: shown()?.id },
        view: { ...top(), id: shown()?.id, state: { values } },
        actions: [{ type: 'button', action_id: 'form.back', value: '1' }],
      });
      await waitForText('Edit the call');
      assert.ok(![...stage.drafts.values()].join('').includes('xxx'));
    });

    it('of an answer is limited to 3,000 characters', async () => {
      await open({}, 'call.reply', 'Reply to the agent');
      const { errors } = await send({ reply: { text: { value: 'x'.repeat(3_001) } } });
      assert.match(String((errors as Json).reply), /At most 3,000 characters; this has 3,001/);
      await send({ reply: { text: { value: 'x'.repeat(3_000) } } });
      assert.equal(stage.desk.commands.length, 1);
    });

    it('of an answer accepts only choices that the call offers', async () => {
      await open({}, 'call.reply', 'Reply to the agent');
      const choice = { chosen: { selected_option: { value: '0' } } };
      const { errors } = await send({ choice, reply: { text: { value: null } } });
      assert.deepEqual(Object.keys(errors as Json), ['reply']);
      assert.deepEqual(stage.desk.commands, []);
    });

    it('of a reason is limited to 300 characters', async () => {
      const call = await stage.callIn();
      const place = await stage.draw(call);
      stage.desk.decide = async () => ({ kind: 'needs-reason', call });
      await stage.workspace.click('requester', { ...place, actionId: 'call.approve' });
      await waitForText('Why do you approve');
      const decided: unknown[] = [];
      stage.desk.decide = async (command) => {
        decided.push(command);
        return { kind: 'decided', call };
      };
      const { errors } = await send({ reason: { text: { value: 'x'.repeat(301) } } });
      assert.match(String((errors as Json).reason), /At most 300 characters; this has 301/);
      assert.deepEqual(decided, []);
      await send({ reason: { text: { value: 'x'.repeat(300) } } });
      assert.equal(decided.length, 1);
    });

    const field = (value: unknown) => ({ value: { value } });
    const right = {
      'route.name': field('fin'),
      'route.patterns': field('pay_*'),
      'route.people': { value: { selected_users: ['U1'] } },
      'route.quorum': field('1'),
      'route.decisions': { value: options('approve', 'ignore') },
      'route.deadline': field('4h'),
    };
    const wrong: readonly (readonly [what: string, block: string, state: Json, message: RegExp])[] =
      [
        ['a name of 41 letters', 'route.name', field('x'.repeat(41)), /At most 40 characters/],
        ['1e1 approvals', 'route.quorum', field('1e1'), /whole number/],
        ['51 approvals', 'route.quorum', field('51'), /Write 50 or less/],
        ['a button that there is none of', 'route.decisions', { value: options('settle') }, /list/],
        ['a tool that is not offered', 'route.tools', { value: options('evil') }, /from the list/],
        ['a way of counting', 'route.counts', { value: options('everybody') }, /from the list/],
        ['somebody else', 'route.others', { value: options('anybody') }, /from the list/],
        ['no person', 'route.people', { value: { selected_users: ['<@U1>'] } }, /from the list/],
        ['a deadline of 21 signs', 'route.deadline', field('1h'.repeat(11)), /At most 20/],
        [
          'a group that is not of the workspace',
          'route.groups',
          { 'route.groups': options('S0EVIL') },
          /from the list/,
        ],
        ['another route', 'route.escalate-to', { value: option('evil') }, /from the list/],
        [
          'a channel that is none',
          'route.channel',
          { 'route.channel': { selected_conversation: 'general' } },
          /from the list/,
        ],
      ];
    const onMore = ['route.decisions', 'route.counts', 'route.deadline', 'route.escalate-to'];
    async function openRoute(block = ''): Promise<void> {
      // An earlier form would be mistaken for the next one.
      while (shown()) await stage.workspace.close('requester');
      const general = stage.workspace.channel('general').id;
      stage.workspace.setUserGroup('ops', ['requester']);
      await stage.workspace.command('requester', general, '/countersign', 'routes');
      await waitForText('Add Route');
      await stage.workspace.clickInView('requester', { actionId: 'route.add' });
      await waitForText('Approvals needed');
      if (!onMore.includes(block)) return;
      await stage.workspace.clickInView('requester', { actionId: 'route.more' });
      await waitForText('Expires after');
    }
    it('of a route is accepted if it is not forged', async () => {
      await openRoute();
      await send(right);
      assert.equal(drafts.length, 1);
      assert.equal(drafts[0]?.quorum, 1);
    });
    for (const [what, block, state, message] of wrong) {
      it(`of a route is refused on its field: ${what}`, async () => {
        await openRoute(block);
        const { response_action: action, errors } = await send({ ...right, [block]: state });
        assert.equal(action, 'errors');
        assert.deepEqual(Object.keys(errors as Json), [block]);
        assert.match(String((errors as Json)[block]), message);
        assert.deepEqual(drafts, []);
      });
    }
  });
}

function option(value: string): Json {
  return { selected_option: { value } };
}

function options(...values: readonly string[]): Json {
  return { selected_options: values.map((value) => ({ value })) };
}
