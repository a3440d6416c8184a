/** What an approver sees first: the summary and the key arguments, nothing twice. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Call } from '../../../src/domain/calls/call.ts';
import { validateMessage } from '../../../src/playground/workspace/blocks/validate-blocks.ts';
import {
  buildCallCard as buildMarkedCard,
  type CardContext,
} from '../../../src/slack/cards/call-card.ts';
import { actionIds, dataTexts } from '../../support/app/unrender-card.ts';
import { aCall } from '../../support/builders/a-call.ts';
import { TEST_MARK } from '../../support/test-secret-mark.ts';

const TOOL = { secrets: [], schema: { properties: { path: {}, content: {} } } };
const buildCallCard = (call: Call, look: Omit<CardContext, 'mark'>) =>
  buildMarkedCard(call, { ...look, mark: TEST_MARK });

describe('the card of a pending call', () => {
  it('has its summary as heading, and a warning only for high risk', () => {
    const heading = (patch: Partial<Call>) => {
      const [header] = buildCallCard(aCall(patch), { tool: TOOL }).blocks;
      return header?.type === 'header' ? header.text : undefined;
    };
    const summary = 'Refund €80.00 to Jane Doe';
    assert.deepEqual(heading({ summary }), { type: 'plain_text', text: summary, emoji: false });
    assert.equal(heading({ summary, risk: 'high' })?.text, `⚠ ${summary}`);
    assert.equal(heading({ summary: 'pay\u202epal' })?.text, 'pay\\u{202e}pal');
    const outside = { by: 'key', name: 'bot', summary: 'Refund €8' } as const;
    assert.equal(heading({ outside })?.text, 'bot: write_file');
    // A built-in tool with our own summary.
    assert.equal(heading({ summary: 'Run: ls', outside })?.text, 'bot · Run: ls');
  });

  it('repeats the summary in the confirmation of a high-risk call', () => {
    const buttons = (patch: Partial<Call>) => {
      const { blocks } = buildCallCard(aCall({ summary: 'Refund €80.00', ...patch }), {
        tool: TOOL,
      });
      const actions = blocks.find(({ type }) => type === 'actions');
      return JSON.stringify(actions);
    };
    assert.match(buttons({ risk: 'high' }), /"call.approve".*"confirm":\{.*"Refund €80\.00"/);
    assert.doesNotMatch(buttons({}), /"confirm":/);
    assert.match(buttons({ siblings: 3 }), /This ends the request. 2 other calls are withdrawn/);
    assert.doesNotMatch(buttons({}), /danger/);
  });

  it('omits arguments that the tool’s preview shows word for word', () => {
    const preview = '--- a.txt\n+++ a.txt\n@@ -1,2 +1,2 @@\n Hello\n-on Thursday\n+on Friday, ok';
    const args = { path: 'a.txt', oldText: 'Thursday', newText: 'Friday', bcc: 'ok' };
    const tool = {
      secrets: [],
      schema: { properties: { path: {}, oldText: {}, newText: {}, bcc: {} } },
      previewed: ['oldText', 'newText'],
    };
    const shown = (patch: object, look = tool) =>
      buildCallCard(aCall({ args: JSON.stringify({ ...args, ...patch }), preview }), {
        tool: look,
      });
    const card = shown({});
    const labels = (value: unknown) =>
      [...JSON.stringify(value).matchAll(/"text":"([^"]*)","style":\{"bold":true\}/g)].map(
        ([, label]) => label,
      );
    assert.deepEqual(labels(card), ['Path', 'BCC']);
    // The arguments name the file: the head of the diff is one row.
    assert.ok(
      dataTexts(card.blocks).includes('@@ -1,2 +1,2 @@\n Hello\n-on Thursday\n+on Friday, ok'),
    );
    assert.ok(actionIds(card).includes('call.approve'));
    assert.deepEqual(labels(shown({ newText: 'Friday; rm' })), ['Path', 'New text', 'BCC']);
    assert.deepEqual(labels(shown({ path: 'b.txt' })), ['Path', 'BCC']);
    assert.ok(JSON.stringify(shown({ path: 'b.txt' })).includes('--- a.txt'));
    assert.deepEqual(labels(shown({}, { ...tool, previewed: [] })), [
      'Path',
      'Old text',
      'New text',
      'BCC',
    ]);
  });

  it('names arguments by the titles of our own tools, and never by those of a third party', () => {
    const schema = {
      properties: {
        amount: { type: 'number', title: 'Note' },
        notify: { type: 'boolean', title: 'Tell them' },
      },
    };
    const text = (patch: Partial<Call>) =>
      JSON.stringify(
        buildCallCard(aCall({ args: '{"amount":8000,"notify":true}', ...patch }), {
          tool: { secrets: [], schema },
        }).blocks,
      );
    const value = (label: string, shown: string) =>
      `{"type":"text","text":"${label}","style":{"bold":true}},{"type":"text","text":" "},{"type":"text","text":"${shown}"}`;
    assert.ok(text({}).includes(value('Tell them', 'yes')), text({}));
    assert.ok(text({}).includes(value('Note', '8000')));
    const theirs = text({ outside: { by: 'key', name: 'bot', summary: 'Refund €8' } });
    assert.ok(theirs.includes(value('amount', '8000')), theirs);
    assert.doesNotMatch(theirs, /"Note"|Tell them/);
    assert.match(theirs, /Caller’s summary \(unverified\).*"Refund €8"/);
    const server = { secrets: [], schema, server: 'crm' };
    const ofServer = buildCallCard(aCall({ args: '{"amount":8000}', server: 'crm' }), {
      tool: server,
    });
    assert.ok(JSON.stringify(ofServer.blocks).includes(value('amount', '8000')));
  });

  it('lists objects line by line, in the order of their schema', () => {
    const item = { properties: { sku: {}, qty: {} } };
    const schema = { properties: { items: { type: 'array', items: item }, to: item } };
    const args = { items: [{ qty: 2, sku: 'A-1' }, { sku: '7' }], to: { sku: 'x', qty: null } };
    const { blocks } = buildCallCard(aCall({ args: JSON.stringify(args) }), {
      tool: { secrets: [], schema },
    });
    assert.deepEqual(validateMessage({ text: '', blocks }), []);
    const lists = blocks.flatMap((block) =>
      block.type === 'rich_text'
        ? block.elements.flatMap((each) =>
            each.type === 'rich_text_list'
              ? [[each.style, ...each.elements.map((line) => textOf(line.elements))]]
              : [],
          )
        : [],
    );
    assert.deepEqual(lists, [
      ['ordered', 'sku A-1 · qty 2', 'sku "7"'],
      ['bullet', 'sku x', 'qty (none)'],
    ]);
  });
});

function textOf(elements: readonly object[]): string {
  return elements.map((each) => ('text' in each ? each.text : '')).join('');
}
