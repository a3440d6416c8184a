import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import type { Call } from '../../../src/domain/calls/call.ts';
import type { CallOrigin } from '../../../src/domain/calls/call-origin.ts';
import { REQUESTER_ROUTE } from '../../../src/domain/policy/route.ts';
import { validateMessage } from '../../../src/playground/workspace/blocks/validate-blocks.ts';
import {
  buildCallCard as buildMarkedCard,
  type CardContext,
} from '../../../src/slack/cards/call-card.ts';
import { buildFullView } from '../../../src/slack/forms/draw/full-view.ts';
import { actionIds } from '../../support/app/unrender-card.ts';
import { APPROVER, aCall, REQUESTER, TWO_APPROVERS } from '../../support/builders/a-call.ts';
import { TEST_MARK } from '../../support/test-secret-mark.ts';

const TOOL = {
  secrets: ['headers.Authorization', 'apiKey'],
  schema: { properties: { path: {}, content: {} } },
};
const buildCallCard = (call: Call, context: Omit<CardContext, 'mark'>) =>
  buildMarkedCard(call, { ...context, mark: TEST_MARK });
const verdict = (kind: NonNullable<Call['verdict']>['kind']) => ({
  kind,
  by: REQUESTER,
  at: 90_000,
});

const BOT: CallOrigin = { by: 'key', key: 'k1', name: 'deploy-bot', host: '203.0.113.7' };

/** Every state and kind of card, by fixture name. */
const STATES: Readonly<Record<string, Partial<Call>>> = {
  pending: { words: 'I need this for the report.', preview: '--- a.txt\n+++ a.txt\n+hello' },
  'pending-quorum': {
    route: TWO_APPROVERS,
    votes: [{ by: APPROVER, at: 5_000 }],
    position: 1,
    siblings: 3,
    risk: 'high',
  },
  'pending-again': {
    note: 'The policy changed, so it needs a decision anew.',
    attempt: 2,
    editedBy: APPROVER,
  },
  'pending-high': { summary: 'Refund €80.00 to Jane Doe', risk: 'high' },
  'pending-helper': { agent: 'research' },
  'pending-program': {
    outside: { ...BOT, summary: 'Refund €8' },
    words: 'The boxes run out on Friday.',
  },
  'pending-question': {
    outside: { ...BOT, decisions: ['reply'], choices: ['Small boxes', 'Large boxes'] },
    tool: 'ask_human',
    args: '{"question":"Which boxes should next week’s parcels go into?"}',
    route: { ...REQUESTER_ROUTE, decisions: ['reply', 'ignore'] },
  },
  'pending-server-question': {
    outside: { by: 'server', name: 'crm', decisions: ['edit', 'ignore'] },
    words: 'Which customer?',
    args: '{"name":"(none)"}',
  },
  'succeeded-program': {
    outside: BOT,
    status: 'succeeded',
    verdict: verdict('approve'),
    outcome: { kind: 'result', text: 'Ordered 40 boxes.' },
  },
  stopped: { status: 'withdrawn', outcome: { kind: 'withdrawn', cause: 'stop' } },
  approved: { status: 'approved', verdict: verdict('approve') },
  running: { status: 'running', verdict: verdict('approve'), claim: { fence: 1, at: 91_000 } },
  succeeded: {
    status: 'succeeded',
    verdict: verdict('approve'),
    outcome: { kind: 'result', text: 'Wrote 5 bytes.' },
  },
  failed: {
    status: 'failed',
    verdict: verdict('approve'),
    outcome: { kind: 'error', text: 'No such folder.' },
  },
  unknown: {
    status: 'unknown',
    verdict: verdict('approve'),
    outcome: { kind: 'unknown', reason: 'The process ended while it ran.' },
  },
  replied: {
    status: 'replied',
    verdict: verdict('reply'),
    outcome: { kind: 'reply', text: 'Use b.txt.', by: REQUESTER },
  },
  ignored: {
    status: 'ignored',
    verdict: verdict('ignore'),
    outcome: { kind: 'ignored', by: REQUESTER },
  },
  expired: { status: 'expired', outcome: { kind: 'expired' } },
  withdrawn: { status: 'withdrawn', outcome: { kind: 'withdrawn', cause: 'new-message' } },
  refused: { status: 'refused', outcome: { kind: 'refused', reason: 'Never on Fridays.' } },
};

describe('the card of a call', () => {
  for (const [name, patch] of Object.entries(STATES)) {
    it(`matches its fixture when it is ${name}`, async () => {
      const card = buildCallCard(aCall(patch), { tool: TOOL });
      const file = new URL(`../../fixtures/slack/card-${name}.json`, import.meta.url);
      if (process.env.UPDATE_FIXTURES === '1') {
        await writeFile(file, `${JSON.stringify(card, null, 2)}\n`);
      }
      assert.deepEqual(card, JSON.parse(await readFile(file, 'utf8')));
      assert.deepEqual(validateMessage(card), []);
    });
  }

  it('offers only what the route allows, and Edit only if there is a form', () => {
    const route = { ...REQUESTER_ROUTE, decisions: ['approve', 'edit'] as const };
    assert.deepEqual(actionIds(buildCallCard(aCall({ route }), { tool: TOOL })), [
      'call.approve',
      'call.edit',
      'call.open',
    ]);
    assert.deepEqual(actionIds(buildCallCard(aCall({ route }), {})), ['call.approve', 'call.open']);
  });

  it('shows the different empty values differently', () => {
    const args = { a: null, b: '', c: '  ', d: [], e: {}, f: 'null', g: false };
    const text = JSON.stringify(
      buildCallCard(aCall({ args: JSON.stringify(args) }), {
        tool: {
          secrets: [],
          schema: { properties: { a: {}, b: {}, c: {}, d: {}, e: {}, f: {}, g: {} } },
        },
      }).blocks,
    );
    for (const [label, value] of [
      ['A', '"(none)","style":{"italic":true}'],
      ['B', '"(empty)","style":{"italic":true}'],
      ['D', '"(empty list)","style":{"italic":true}'],
      ['E', '"(no values)","style":{"italic":true}'],
      ['F', '"null"'],
      ['G', '"no"'],
    ]) {
      const shown = `"text":"${label}","style":{"bold":true}},{"type":"text","text":" "},{"type":"text","text":${value}`;
      assert.ok(text.includes(shown), `${shown}\n${text}`);
    }
    assert.ok(text.includes('\\\\u{20 x2}'));
    assert.ok(JSON.stringify(buildCallCard(aCall({ args: '{}' }), {})).includes('No arguments'));
  });

  it('has no Approve while an argument that looks like a secret is masked: Open shows it to the approver', () => {
    for (const command of [
      `echo "-----BEGIN PRIVATE KEY-----\n${'A'.repeat(60)}\n-----END PRIVATE KEY-----"`,
      'curl -H "Authorization: Bearer test-not-real-123" https://example.test',
      'echo xoxb-not-a-real-token-1',
    ]) {
      const call = aCall({ args: JSON.stringify({ command }) });
      assert.ok(!actionIds(buildCallCard(call, { tool: TOOL })).includes('call.approve'), command);
      const context = { page: 1, tool: TOOL, mayApprove: true, mark: TEST_MARK };
      assert.ok(
        JSON.stringify(buildFullView(call, context)).includes(JSON.stringify(command).slice(1, 40)),
      );
      const stranger = JSON.stringify(buildFullView(call, { ...context, mayApprove: false }));
      assert.match(stranger, /⟨hidden: /);
    }
  });

  it('does not mask text that only begins like a secret', () => {
    for (const command of [
      'echo "-----BEGIN PRIVATE KEY-----"; rm -rf /',
      'Pay the bearer 1000000.00 today',
      'sk-this-is-the-real-name-of-the-file.sh',
    ]) {
      const card = buildCallCard(aCall({ args: JSON.stringify({ command }) }), { tool: TOOL });
      assert.ok(actionIds(card).includes('call.approve'));
      assert.ok(JSON.stringify(card).includes(JSON.stringify(command).slice(1, -1)), command);
    }
  });

  it('masks a declared secret in every spelling', () => {
    const apiKey = 'ab"c\nd-secretpart';
    const patch = {
      args: JSON.stringify({ apiKey }),
      preview: `+ab"c\n+d-secretpart`,
      status: 'succeeded',
      outcome: { kind: 'result', text: JSON.stringify({ got: apiKey }) },
    } as const;
    assert.ok(!JSON.stringify(buildCallCard(aCall(patch), { tool: TOOL })).includes('secretpart'));
  });

  it('must be opened before approval if it has more lines than a screen', () => {
    const command = `ls${'\n#'.repeat(300)}; rm -rf /`;
    const card = buildCallCard(aCall({ args: JSON.stringify({ command }) }), { tool: TOOL });
    assert.ok(!actionIds(card).includes('call.approve'));
    assert.ok(actionIds(card).includes('call.open'));
  });

  it('masks secrets in arguments, preview and reason, and says so', () => {
    const args = { apiKey: 'k-0001', headers: { Authorization: 'test-not-real-123' }, body: 'ok' };
    const card = buildCallCard(
      aCall({
        args: JSON.stringify(args),
        preview: 'send test-not-real-123',
        words: 'using k-0001 and xoxb-12345678-abc',
      }),
      { tool: TOOL },
    );
    const text = JSON.stringify(card);
    for (const secret of ['k-0001', 'test-not-real-123', 'xoxb-12345678-abc']) {
      assert.ok(!text.includes(secret), secret);
    }
    assert.match(text, /4 secrets are not shown/);
    assert.match(text, /1 text looks like a secret/);
  });

  it('has Open instead of Approve when something does not fit, and says how much is shown', () => {
    const args = JSON.stringify({ content: `${'x'.repeat(2_900)}; bcc all` });
    const card = buildCallCard(aCall({ args }), { tool: TOOL });
    assert.deepEqual(actionIds(card), ['call.open', 'call.edit', 'call.reply', 'call.ignore']);
    assert.match(JSON.stringify(card.blocks), /Content · 280 of 2,909 characters shown/);
    assert.match(JSON.stringify(card.blocks), /"Open \(3 KB\)"/);
    const keys = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`k${i}`, i]));
    const many = buildCallCard(aCall({ args: JSON.stringify(keys) }), { tool: TOOL });
    assert.equal(actionIds(many)[0], 'call.open');
    assert.match(JSON.stringify(many.blocks), /190 arguments are not on this card/);
  });

  it('truncates the agent’s reason at a word, and can still be approved', () => {
    const card = buildCallCard(aCall({ words: 'w'.repeat(900) }), { tool: TOOL });
    assert.match(JSON.stringify(card.blocks), /200 of 900 characters shown/);
    assert.equal(actionIds(card)[0], 'call.approve');
  });
});

describe('a tool’s name on its card', () => {
  const headingOf = (tool: string) => {
    const [header] = buildCallCard(aCall({ tool }), { tool: TOOL }).blocks;
    return header?.type === 'header' ? header.text.text : '';
  };

  it('is in the heading unchanged, and is never an emoji', () => {
    assert.equal(headingOf('k8s/deploy'), 'k8s/deploy');
    assert.equal(headingOf('db:drop'), 'db:drop');
    assert.equal(headingOf(':ok:'), '\\u{3a}ok\\u{3a}');
  });

  it('is shown in full below if the heading truncates it', () => {
    const tool = `${'a'.repeat(100)}_the_end`;
    assert.match(headingOf(tool), /80 of 108 characters/);
    assert.ok(JSON.stringify(buildCallCard(aCall({ tool }), { tool: TOOL }).blocks).includes(tool));
  });
});
