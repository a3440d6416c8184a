/** Forms in the real Bolt app on the simulated workspace, over both transports. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Call } from '../../../src/domain/calls/call.ts';
import { callDigestOf } from '../../../src/domain/calls/digest.ts';
import { canonicalJson, type JsonValue } from '../../../src/domain/json/json.ts';
import type { FormValues } from '../../../src/playground/workspace/workspace-port.ts';
import { aCall } from '../../support/builders/a-call.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { until } from '../../support/until.ts';
import { FORM_TOOLS, KEYS, LONG_ARGS, PARTS_ARGS } from '../support/forms-tools.ts';
import { type Delivery, type SlackStage, setSlackStage } from '../support/slack-stage.ts';
import { viewButtons } from '../support/view-buttons.ts';

for (const delivery of ['http', 'socket'] as const) formsOver(delivery);

function formsOver(delivery: Delivery): void {
  describe(`forms over ${delivery}`, () => {
    let stage: SlackStage;
    let original: Pick<SlackStage['desk'], 'decide' | 'checkDecision'>;
    before(async () => {
      stage = await setSlackStage(delivery, { tools: FORM_TOOLS });
      original = { decide: stage.desk.decide, checkDecision: stage.desk.checkDecision };
    });
    after(() => stage.close());
    beforeEach(async () => {
      Object.assign(stage.desk, { ...original, outcome: undefined });
      stage.desk.commands.length = 0;
      stage.drafts.clear();
      stage.workspace.faults.clear();
      while (top() !== undefined) await stage.workspace.close('requester');
    });

    const shown = () => stage.workspace.see('requester').views.at(-1);
    const top = () => shown()?.view;
    const waitForText = (text: string) =>
      stage.workspace.waitFor(
        () => (JSON.stringify(shown() ?? '').includes(text) ? true : undefined),
        {
          describe: () => JSON.stringify({ shown: shown(), logged: stage.logged }),
        },
      );
    const submit = (values: FormValues) => stage.workspace.submit('requester', values);
    const press = (text: string, values: FormValues = {}) => {
      const button = viewButtons(top()?.blocks ?? []).find(
        (each) => each.accessibility_label === text || each.text?.text === text,
      );
      assert.ok(button, text);
      return stage.workspace.clickInView('requester', { ...button, values });
    };

    async function open(tool: string, args: JsonValue): Promise<Call> {
      const call = await stage.callIn({ tool, args: canonicalJson(args) });
      const place = await stage.draw(call);
      await stage.workspace.click('requester', { ...place, actionId: 'call.edit' });
      await waitForText('Edit the call');
      return call;
    }

    /** The arguments of the last edit that reached the desk. */
    function edited(): JsonValue {
      const command = stage.desk.commands.at(-1);
      assert.ok(command !== undefined && 'decision' in command && command.decision.kind === 'edit');
      return command.decision.args;
    }

    const decideAs = (call: Call) => {
      const verdict = { kind: 'edit', by: call.requester, at: 1 } as const;
      stage.desk.decide = async (command) => {
        stage.desk.commands.push(command);
        return { kind: 'decided', call: { ...call, verdict } };
      };
    };

    it('pages can be turned both ways, and the last page saves what was typed on each', async () => {
      const call = await open('long', LONG_ARGS);
      decideAs(call);
      await submit({ f0: 'first' });
      await waitForText('Page 2 of 3');
      await press('Previous Page', { f31: 'second' });
      await waitForText('Page 1 of 3');
      assert.ok(JSON.stringify(shown()).includes('"first"'));
      await submit({ f1: 'also' });
      await waitForText('Page 2 of 3');
      await submit({});
      await waitForText('Page 3 of 3');
      assert.equal(stage.desk.commands.length, 0);
      assert.equal(stage.drafts.size, 1);
      await submit({ f69: 'last' });
      assert.deepEqual(edited(), {
        ...LONG_ARGS,
        f0: 'first',
        f1: 'also',
        f31: 'second',
        f69: 'last',
      });
      assert.equal(top(), undefined);
      await until(() => stage.drafts.size === 0);
    });

    it('an edit beside a text that neither form nor card shows in full tells the desk so', async () => {
      for (const [text, keepsUnseen] of [
        ['x'.repeat(20_000), true],
        ['x'.repeat(200), undefined],
      ] as const) {
        const call = await open('mail', { note: 'n', text });
        decideAs(call);
        await submit({ note: 'changed' });
        assert.deepEqual(edited(), { note: 'changed', text });
        const command = stage.desk.commands.at(-1);
        assert.ok(command && 'decision' in command && command.decision.kind === 'edit');
        assert.equal(command.decision.keepsUnseen, keepsUnseen);
      }
    });

    it('an error on an earlier page opens that page and is shown there, with everything that was typed', async () => {
      const call = await open('long', LONG_ARGS);
      stage.desk.decide = async () => ({
        kind: 'invalid',
        call,
        problems: [{ path: ['f3'], message: 'Three is too few.' }],
      });
      await submit({ f3: 'three' });
      await waitForText('Page 2 of 3');
      await submit({});
      await waitForText('Page 3 of 3');
      await submit({});
      await waitForText('⚠ Three is too few.');
      assert.ok(JSON.stringify(top()).includes('Page 1 of 3'));
      assert.ok(JSON.stringify(shown()?.state).includes('"three"'));
      assert.deepEqual(stage.workspace.see('requester').toasts, []);
    });

    it('a form whose typed pages are lost says so, and changes nothing', async () => {
      await open('long', LONG_ARGS);
      await submit({ f0: 'first' });
      await waitForText('Page 2 of 3');
      stage.drafts.clear();
      await submit({});
      await waitForText('what you typed on the other pages is no longer stored');
      assert.deepEqual(stage.desk.commands, []);
    });

    it('a form that is opened again has the values of the card, not what was typed into another form', async () => {
      await open('long', LONG_ARGS);
      await submit({ f0: 'first' });
      await waitForText('Page 2 of 3');
      await stage.workspace.close('requester');
      await open('long', LONG_ARGS);
      assert.ok(!JSON.stringify(shown()).includes('"first"'));
    });

    it('another kind redraws the form, and keeps what was typed in other fields', async () => {
      decideAs(await open('parts', PARTS_ARGS));
      const choose = (option: string, values: FormValues) =>
        stage.workspace.clickInView('requester', { actionId: 'form.kind', option, values });
      await choose('1', { note: 'typed', 'target.id': '2' });
      await waitForText('"action_id":"target.name"');
      assert.ok(JSON.stringify(shown()?.state).includes('"typed"'));
      await choose('0', { 'target.name': 'Ann' });
      await waitForText('"action_id":"target.id"');
      assert.ok(JSON.stringify(shown()?.state).includes('"value":"2"'));
      await choose('1', {});
      await waitForText('"action_id":"target.name"');
      await submit({});
      const expected = { ...PARTS_ARGS, note: 'typed', target: { kind: 'by_name', name: 'Ann' } };
      assert.deepEqual(edited(), expected);
    });

    it('entries are added and removed in place', async () => {
      decideAs(await open('parts', PARTS_ARGS));
      await press('Add Another: To', { 'to.0.name': 'A2' });
      await waitForText('To 2 of 2');
      const blocked = await submit({});
      assert.equal(blocked.kind, 'blocked');
      await press('Remove: To 1 of 2', { 'to.1.name': 'B' });
      await waitForText('To 1 of 1');
      await submit({});
      assert.deepEqual(edited(), { ...PARTS_ARGS, to: [{ name: 'B' }] });
    });

    it('a long list of options can be searched by people who may edit', async () => {
      decideAs(await open('parts', PARTS_ARGS));
      const found = await stage.workspace.suggest('requester', 'city', 'CITY 29');
      assert.deepEqual(
        found.slice(0, 2).map(({ text }) => text),
        ['city 29', 'city 290'],
      );
      await submit({ city: found[0]?.value ?? '' });
      assert.deepEqual(edited(), { ...PARTS_ARGS, city: 'city 29' });
      const call = await open('parts', PARTS_ARGS);
      stage.desk.checkDecision = async () => ({ kind: 'not-allowed', call, why: 'Not you.' });
      assert.deepEqual(await stage.workspace.suggest('requester', 'city', 'city 2'), []);
    });

    it('a view with more fields than the form changes only the fields of the form (D16)', async () => {
      decideAs(await open('parts', PARTS_ARGS));
      const { id, teamId } = stage.workspace.member('requester');
      const send = (patch: object) =>
        stage.workspace.deliverInteraction({
          type: 'view_submission',
          team: { id: stage.workspace.team.id },
          user: { id, team_id: teamId },
          api_app_id: stage.workspace.app.id,
          view: { ...top(), ...patch },
        });
      const [note] = (top()?.blocks ?? []).filter((block) =>
        JSON.stringify(block).includes('"action_id":"note"'),
      );
      const { block_id: blockId = '' } = note as { block_id?: string };
      const values = {
        [blockId]: { note: { value: 'typed' }, tool: { value: 'evil' } },
        tool: { tool: { value: 'evil' } },
        __proto__: { note: { value: 'evil' } },
        city: { city: { value: 'evil' } },
      };
      const token = top()?.private_metadata ?? '';
      assert.match(
        JSON.stringify(await send({ private_metadata: token.split(' ')[0], state: { values } })),
        /not one of mine/,
      );
      assert.match(
        JSON.stringify(await send({ private_metadata: `${token}x`, state: { values } })),
        /not one of mine/,
      );
      const other = token.replace(/new$/, 'kept');
      assert.match(
        JSON.stringify(await send({ private_metadata: other, state: { values } })),
        /no longer stored/,
      );
      assert.deepEqual(stage.desk.commands, []);
      await send({ state: { values } });
      assert.deepEqual(edited(), { ...PARTS_ARGS, note: 'typed' });
    });

    it('a form whose opening got no response is found and filled', async () => {
      stage.workspace.faults.api('views.open', { kind: 'lost' });
      await open('parts', PARTS_ARGS);
      assert.equal(stage.workspace.see('requester').views.length, 1);
    });
  });
}

describe('a call whose file changes while a person reads it', () => {
  it('starts again from its first page, without stale pages (D18)', async () => {
    const stage = await setSlackStage('http', { tools: FORM_TOOLS });
    try {
      const args = canonicalJson(Object.fromEntries(KEYS.map((key) => [key, 'x'.repeat(500)])));
      const call = await stage.callIn({ tool: 'long', args, basis: 'before' });
      const place = await stage.draw(call);
      const shows = (text: string) => () =>
        JSON.stringify(stage.workspace.see('requester').views.at(-1) ?? '').includes(text)
          ? true
          : undefined;
      await stage.workspace.click('requester', { ...place, actionId: 'call.open' });
      await stage.workspace.waitFor(shows('page 1 of'));
      const changed = aCall({
        ...call,
        digest: '',
        basis: 'after',
        preview: 'new',
        note: 'Changed.',
      });
      stage.desk.call = { ...changed, digest: callDigestOf(changed) };
      await stage.workspace.clickInView('requester', { actionId: 'call.page' });
      await stage.workspace.waitFor(shows('Changed.'));
      assert.ok(shows('page 1 of')());
    } finally {
      await stage.close();
    }
  });
});

describe('a form with a slow store', () => {
  it('opens at once, and shows its fields when the store responds after four seconds', async () => {
    const clock = createManualClock(Date.now());
    const stage = await setSlackStage('http', { tools: FORM_TOOLS, clock });
    try {
      const call = await stage.callIn({ tool: 'parts', args: canonicalJson(PARTS_ARGS) });
      const place = await stage.draw(call);
      const { checkDecision: look } = stage.desk;
      stage.desk.checkDecision = async (command) => {
        await new Promise<void>((resolve) => {
          clock.schedule(clock.now() + 4_000, resolve);
        });
        return look(command);
      };
      await stage.workspace.click('requester', { ...place, actionId: 'call.edit' });
      const shows = (text: string) => () =>
        JSON.stringify(stage.workspace.see('requester').views.at(-1) ?? '').includes(text)
          ? true
          : undefined;
      await stage.workspace.waitFor(shows('Loading the call'));
      await clock.advance(4_000);
      await stage.workspace.waitFor(shows('Save and Approve'));
    } finally {
      await stage.close();
    }
  });
});
