/** What forms can hold, their errors, and empty answers. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sayText } from '../../../support/servers/mock-model.ts';
import { buttonsOf, type FieldStage, sayCall, setFieldStage } from '../field-stage.ts';

const SIXTY = 'a_tool_whose_name_has_sixty_characters_as_some_of_them_have_';

describe('forms', () => {
  let stage: FieldStage;
  before(async () => {
    stage = await setFieldStage('http');
  });
  after(() => stage.close());

  async function openForm(tool: string, args: Readonly<Record<string, unknown>>) {
    stage.play(sayCall(tool, args), sayText('That is done.'));
    const place = await stage.ask('requester', `use ${tool}`);
    const card = await stage.card(place, 'Edit');
    await stage.press('requester', card, 'call.edit');
    await stage.form('requester', 'Edit the call');
    return place;
  }
  const top = () => stage.workspace.see('requester').views.at(-1);

  it('a form opens at its limits, and what it cannot hold is named and kept byte for byte', async () => {
    const alike =
      'Deliver to the warehouse by the river, on the left bank, behind the old mill gate';
    const filler = Object.fromEntries(Array.from({ length: 36 }, (_, i) => [`f${i}`, ` v${i} `]));
    const args = {
      long: `${'l'.repeat(7_990)} the  end\n`,
      many: 'member 7',
      wide: 'w'.repeat(120),
      alike: `${alike} A`,
      ...filler,
    };
    assert.equal(SIXTY.length, 60);
    const place = await openForm(SIXTY, args);
    const form = JSON.stringify(top()?.view);
    assert.match(form, /Long: kept as it is \(8,000 characters, more than a form can hold\)/);
    assert.ok(!form.includes('lllll'));
    const options = alikeOptions(top()?.view);
    assert.equal(new Set(options.map(({ text }) => text)).size, 2);
    const [, second = { value: '' }] = options;
    await stage.workspace.submit('requester', { alike: second.value });
    await stage.view('requester', 'Page 2 of 2');
    const runs = (await stage.runs()).length;
    await stage.workspace.submit('requester', {});
    // Neither the form nor the card shows the whole text, so it is read before the approval.
    const card = await stage.card(place, 'version 2');
    assert.ok(!buttonsOf(card).includes('call.approve'));
    await stage.press('requester', card, 'call.open');
    await readToTheEnd(stage);
    assert.equal((await stage.runs()).length, runs);
    await stage.workspace.clickInView('requester', { actionId: 'call.approve' });
    await stage.view('requester', 'You approved');
    await stage.workspace.close('requester');
    await stage.answer(place, 'That is done.');
    const [run] = (await stage.runs()).slice(-1);
    assert.deepEqual(run, { tool: SIXTY, args: { ...args, alike: `${alike} B` } });
  });

  it('a form submitted unchanged changes nothing, with sixty fields or none', async () => {
    const sixty = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`f${i}`, `v${i}\t`]));
    const place = await openForm('sixty_fields', sixty);
    await stage.workspace.submit('requester', {});
    await stage.view('requester', 'Page 2 of 2');
    await stage.workspace.submit('requester', {});
    await stage.answer(place, 'That is done.');
    assert.deepEqual((await stage.runs()).at(-1)?.args, sixty);
  });

  it('errors in a form appear on a visible field, and the typed values stay', async () => {
    const before = (await stage.runs()).length;
    const place = await openForm('book', {
      start: 1,
      end: 2,
      to: [{ name: 'Ann', email: 'ann@a.example' }],
      pin: 'k-4711-pin',
    });
    const cases = [
      [{ end: '0' }, 'The end must come after the start.'],
      [{ end: '2', 'to.0.email': 'nobody' }, 'This is no address.'],
      [{ 'to.0.email': 'a@b', note: 'locked' }, 'does not open this'],
      [{ note: 'long' }, 'xxxxx'],
      [{ note: 'mute' }, 'Invalid input'],
    ] as const;
    for (const [values, sentence] of cases) {
      await stage.workspace.submit('requester', values);
      const errors = Object.entries(top()?.errors ?? {});
      const inputs = JSON.stringify(top()?.view.blocks);
      assert.ok(errors.length > 0, sentence);
      assert.ok(
        errors.some(([, text]) => text.includes(sentence)),
        JSON.stringify(errors),
      );
      for (const [blockId, text] of errors) {
        assert.ok(inputs.includes(`"block_id":"${blockId}"`), blockId);
        assert.ok(text.trim() !== '' && text.length <= 2_000);
      }
      for (const typed of Object.values(values)) {
        assert.ok(JSON.stringify(top()?.state).includes(JSON.stringify(typed).slice(1, -1)), typed);
      }
      assert.deepEqual(stage.workspace.see('requester').toasts, []);
    }
    assert.ok(!JSON.stringify(top()).includes('k-4711-pin'));
    assert.equal((await stage.runs()).length, before);
    await stage.workspace.submit('requester', {
      note: null,
      'to.0.name': 'B',
      'to.0.email': 'b@b',
    });
    await stage.answer(place, 'That is done.');
    assert.deepEqual((await stage.runs()).at(-1)?.args, {
      start: 1,
      end: 2,
      to: [{ name: 'B', email: 'b@b' }],
      pin: 'k-4711-pin',
    });
  });

  async function openReply() {
    stage.play(sayCall('note', { text: 'x' }), sayText('I see.'));
    const place = await stage.ask('requester', 'note x');
    const card = await stage.card(place, 'Approve');
    await stage.press('requester', card, 'call.reply');
    await stage.form('requester', 'Reply to the agent');
    return { place, card };
  }

  for (const text of ['0', 'null', '{}', 'false', '"']) {
    it(`the answer ${text} reaches the agent unchanged`, async () => {
      const { place } = await openReply();
      await stage.workspace.submit('requester', { text });
      await stage.answer(place, 'I see.');
      assert.ok((stage.toolMessages()[0] ?? '').endsWith(`instead of approving: ${text}`));
    });
  }

  it('an empty or too long answer shows an error on its field', async () => {
    const { place, card } = await openReply();
    const asked = stage.asked();
    const blocked = await stage.workspace.submit('requester', { text: '' });
    assert.equal(blocked.kind, 'blocked');
    await stage.workspace.submit('requester', { text: ' \n ' });
    assert.deepEqual(Object.values(top()?.errors ?? {}), ['Write what the agent should know.']);
    const { id, teamId } = stage.workspace.member('requester');
    const submit = (value: string | null) =>
      stage.workspace.deliverInteraction({
        type: 'view_submission',
        team: { id: stage.workspace.team.id },
        user: { id, team_id: teamId },
        api_app_id: stage.workspace.app.id,
        view: { ...top()?.view, state: { values: { reply: { text: { value } } } } },
      });
    for (const value of ['', null, '   ']) {
      assert.match(JSON.stringify(await submit(value)), /Write what the agent should know/);
    }
    assert.deepEqual(stage.cards(place), [card]);
    assert.equal(stage.asked(), asked);
    assert.match(JSON.stringify(await submit('long '.repeat(4_000))), /At most 3,000 characters/);
    assert.equal(stage.asked(), asked);
    const long = `${'long '.repeat(599)}end`;
    const ack = await submit(long);
    assert.ok(ack.kind === 'acknowledged' && !JSON.stringify(ack.body).includes('errors'));
    await stage.answer(place, 'I see.');
    assert.ok((stage.toolMessages()[0] ?? '').includes(long));
    await stage.workspace.close('requester');
    const replied = await stage.card(place, 'Replied', 'reply: “long long', '…”');
    await stage.press('requester', replied, 'call.open');
    await stage.view('requester', 'long end');
    await stage.workspace.close('requester');
  });

  it('every request to the model was in a valid order', () => {
    assert.deepEqual(stage.model.refusals, []);
  });
});

function alikeOptions(view: { readonly blocks: readonly unknown[] } | undefined) {
  const blocks = view?.blocks as readonly {
    element?: { action_id: string; options?: { text: { text: string }; value: string }[] };
  }[];
  const field = blocks.find(({ element }) => element?.action_id === 'alike');
  return (field?.element?.options ?? []).map(({ text, value }) => ({ text: text.text, value }));
}

/** Turns to the last page of the whole call. */
async function readToTheEnd(stage: FieldStage): Promise<void> {
  for (let page = 1; ; page += 1) {
    await stage.view('requester', `page ${page} of`);
    const { view } = stage.workspace.see('requester').views.at(-1) ?? {};
    if (!buttonsOf({ blocks: [view] }).includes('call.page')) return;
    await stage.workspace.clickInView('requester', { actionId: 'call.page' });
  }
}
