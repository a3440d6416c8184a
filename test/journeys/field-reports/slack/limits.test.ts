/** Cards of calls that are long, empty, large or full of markup. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { WorkspaceMessage } from '../../../../src/playground/workspace/workspace-port.ts';
import { allText } from '../../../support/app/scene.ts';
import { dataTexts } from '../../../support/app/unrender-card.ts';
import { sayText } from '../../../support/servers/mock-model.ts';
import { buttonsOf, type FieldStage, sayCall, setFieldStage } from '../field-stage.ts';

describe('limits', () => {
  let stage: FieldStage;
  before(async () => {
    stage = await setFieldStage('http');
  });
  after(() => stage.close());

  async function cardOf(tool: string, args: Readonly<Record<string, unknown>>) {
    stage.play(sayCall(tool, args), sayText('That is done.'));
    const place = await stage.ask('requester', 'do it');
    return { place, card: await stage.card(place, 'Waiting for a decision') };
  }

  /** Reads the whole call in its modal, page by page, and leaves the last page open. */
  async function readWhole(card: WorkspaceMessage): Promise<string> {
    await stage.press('requester', card, 'call.open');
    await stage.view('requester', 'page 1 of');
    let text = '';
    for (let page = 1; ; page += 1) {
      await stage.view('requester', `page ${page} of`);
      const { view } = stage.workspace.see('requester').views.at(-1) ?? {};
      // The context line quotes the requester.
      text += preformatted(view?.blocks.filter(({ type }) => type !== 'context'));
      if (!buttonsOf({ blocks: [view] }).includes('call.page')) return text;
      assert.ok(!buttonsOf({ blocks: [view] }).includes('call.approve'));
      await stage.workspace.clickInView('requester', { actionId: 'call.page' });
    }
  }

  it('60 kB of arguments make a card with short ids, are read whole before the approval, and run whole', async () => {
    const tail = 'bcc: all-customers';
    const document = {
      text: `${'harmless '.repeat(4_600)}${tail}`,
      nested: {
        list: Array.from({ length: 300 }, (_, i) => ({ id: i, name: `recipient ${i}` })),
      },
      deep: { a: { b: { c: { d: 'x'.repeat(9_000) } } } },
    };
    assert.ok(JSON.stringify(document).length > 60_000);
    const { place, card } = await cardOf('store', { document });
    assert.equal(buttonsOf(card)[0], 'call.open');
    assert.match(allText(card), /of [\d,]+ characters shown/);
    const ids = idsOf(card);
    assert.ok(ids.values.every((value) => value.length < 100 && !value.includes('harmless')));
    assert.ok(ids.ids.every((id) => id.length <= 255));
    assert.equal(new Set(ids.blockIds).size, ids.blockIds.length);
    const whole = await readWhole(card);
    assert.deepEqual(JSON.parse(whole), document);
    await stage.workspace.clickInView('requester', { actionId: 'call.approve' });
    await stage.view('requester', 'You approved');
    await stage.workspace.close('requester');
    await stage.answer(place, 'That is done.');
    assert.deepEqual((await stage.runs()).at(-1)?.args, { document });
  });

  it('a tool name of 300 characters is no tool, and the agent is told so', async () => {
    const runs = (await stage.runs()).length;
    stage.play(sayCall('n'.repeat(300), {}), sayText('No such tool.'));
    const place = await stage.ask('requester', 'use a long name');
    await stage.answer(place, 'No such tool.');
    assert.equal(stage.cards(place).length, 0);
    assert.match(stage.toolMessages()[0] ?? '', /there is no tool/);
    assert.equal((await stage.runs()).length, runs);
  });

  it('different empty values are shown distinctly, and run unchanged', async () => {
    const args = { subject: '   ', body: '', tags: [], note: null };
    const { place, card } = await cardOf('blank', args);
    const text = allText(card);
    for (const shown of ['Body (empty)', 'Tags (empty list)', 'note (none)']) {
      assert.ok(text.replaceAll(/\s+/g, ' ').includes(shown), text);
    }
    assert.ok(text.includes(String.raw`\u{20 x3}`), text);
    await stage.press('requester', card, 'call.approve');
    await stage.answer(place, 'That is done.');
    assert.deepEqual((await stage.runs()).at(-1)?.args, args);
  });

  it('a call without arguments says so', async () => {
    const { place, card } = await cardOf('no_arguments', {});
    assert.match(allText(card), /No arguments/);
    await stage.press('requester', card, 'call.approve');
    await stage.answer(place, 'That is done.');
  });

  it('sixty arguments are counted where they do not fit, and all of them can be seen', async () => {
    const args = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`f${i}`, `value-${i}`]));
    const { place, card } = await cardOf('sixty_fields', args);
    assert.match(allText(card), /50 arguments are not on this card/);
    assert.equal(buttonsOf(card)[0], 'call.open');
    const whole = await readWhole(card);
    for (const value of Object.values(args)) assert.ok(whole.includes(value), value);
    await stage.workspace.clickInView('requester', { actionId: 'call.approve' });
    await stage.workspace.waitFor(() => (stage.asked() > 0 ? true : undefined));
    await stage.view('requester', 'You approved');
    await stage.workspace.close('requester');
    await stage.answer(place, 'That is done.');
  });

  it('links, mentions and entities are shown literally, and none of them is active', async () => {
    const args = {
      url: 'https://evil.example/?x=y|https://bank.example',
      other: 'https://a.example/?p=1&q=2',
      text: '<!here> <@U123> <#C1> <https://evil.example|https://bank.example>',
      company: 'AT&T',
      html: '&lt;b&gt;',
    };
    stage.play(sayCall('links', args), sayText(`${Object.values(args).join(' ')} End.`));
    const place = await stage.ask('requester', 'send <!here> AT&T &lt;b&gt; <@U123>');
    const card = await stage.card(place, 'Waiting for a decision');
    const shown = dataTexts(card.blocks);
    for (const value of [...Object.values(args), 'send <!here> AT&T &lt;b&gt; <@U123>']) {
      assert.ok(shown.includes(value), `${value}\n${shown.join('\n')}`);
    }
    assertHarmless(card);
    await openMenu(card);
    await stage.view('requester', args.text);
    await stage.workspace.close('requester');
    await stage.press('requester', card, 'call.edit');
    await stage.form('requester', 'Edit the call');
    const form = JSON.stringify(stage.workspace.see('requester').views.at(-1)?.view);
    for (const value of Object.values(args)) assert.ok(form.includes(JSON.stringify(value)), value);
    await stage.workspace.submit('requester', {});
    const answer = await stage.answer(place, 'End.');
    assert.doesNotMatch(JSON.stringify(answer.blocks), /<!here>|<@U123>|<#C1>/);
    assertHarmless(await stage.card(place, 'Done'));
    assert.deepEqual((await stage.runs()).at(-1)?.args, args);
    const posts = [...stage.apiCalls('chat.postMessage'), ...stage.apiCalls('chat.update')];
    assert.ok(posts.length > 0);
    for (const { name, request } of posts) {
      assert.doesNotMatch(JSON.stringify(request), /"parse":|"link_names":true/);
      if (name === 'chat.postMessage')
        assert.match(JSON.stringify(request), /"unfurl_links":"?false/);
    }
  });

  /** Chooses *Details*, the only entry of the menu of a card. */
  async function openMenu({ blocks, channel, ts }: WorkspaceMessage): Promise<void> {
    const menu = /"call\.menu","options":\[\{.*?"value":"([^"]+)"/.exec(JSON.stringify(blocks));
    const option = menu?.[1] ?? '';
    await stage.workspace.click('requester', { channel, ts, actionId: 'call.menu', option });
  }

  it('nothing sent to Slack or to the model was rejected', () => {
    assert.deepEqual(stage.model.refusals, []);
    const refused = stage.workspace.journal.filter(({ problem }) => problem !== undefined);
    assert.deepEqual(refused, []);
  });
});

/** No mrkdwn contains markup or an active link from others, and no rich text element is a person, a channel or a link. */
function assertHarmless(message: WorkspaceMessage): void {
  const all = JSON.stringify(message.blocks);
  assert.doesNotMatch(all, /"type":"(?:user|usergroup|channel|broadcast|link)"/);
  // Code contains no markup.
  const parsed = [message.text, ...mrkdwnIn(message.blocks)].join('\n').replaceAll(/`[^`]*`/g, '');
  assert.doesNotMatch(parsed, /<!here>|<@U123>|<#C1>|:\/\/evil\.example/);
}

/** All text in which Slack parses markup. */
function mrkdwnIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(mrkdwnIn);
  if (typeof value !== 'object' || value === null) return [];
  const { type, text } = value as { readonly type?: unknown; readonly text?: unknown };
  if (type === 'mrkdwn' && typeof text === 'string') return [text];
  return Object.values(value).flatMap(mrkdwnIn);
}

const preformatted = (value: unknown): string => dataTexts(value).join('');

function idsOf(card: WorkspaceMessage) {
  const text = JSON.stringify(card.blocks);
  const all = (key: string) =>
    [...text.matchAll(new RegExp(`"${key}":"([^"]*)"`, 'g'))].map(([, value = '']) => value);
  return {
    values: all('value'),
    blockIds: all('block_id'),
    ids: [...all('block_id'), ...all('action_id')],
  };
}
