/** One line for a call, whatever its tool returns: it holds no secret, and fits. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  callTitle,
  MAX_TITLE_LENGTH,
  toolTitle,
  toSingleLine,
} from '../../../src/domain/cards/call-name.ts';
import { summarize, withSafeSummary } from '../../../src/domain/cards/call-summary.ts';
import { canonicalJson, type JsonValue } from '../../../src/domain/json/json.ts';
import { toVisible } from '../../../src/domain/text/visible-text.ts';
import type { Preview } from '../../../src/domain/tools/tool.ts';
import { aCall } from '../../support/builders/a-call.ts';

const SCHEMA = {
  type: 'object',
  properties: {
    amount: { type: 'number' },
    token: { type: 'string' },
    order: { type: 'string' },
    note: { type: 'string' },
  },
  required: ['amount', 'token', 'order'],
};

interface Facts {
  readonly args?: { readonly [key: string]: JsonValue };
  readonly said?: unknown;
  readonly preview?: string | Preview;
  readonly redact?: readonly string[];
  readonly name?: string;
}

function summaryOf({ args = {}, said, preview, redact = [], name = 'close_account' }: Facts) {
  const text = canonicalJson(args);
  return summarize({
    call: { args: text, proposedArgs: text, redact },
    tool: { name, schema: SCHEMA, secrets: ['token'] },
    args,
    said,
    preview: typeof preview === 'string' ? { text: preview } : preview,
  });
}

describe('the summary of a call', () => {
  const ARGS = { amount: 8000, order: 'A-10293', token: 'tok-not-real' };
  for (const [what, facts, wanted] of [
    ['the tool’s text', { said: 'Refund €80.00 to Jane Doe' }, 'Refund €80.00 to Jane Doe'],
    ['the tool’s text on one line', { said: ' Refund\n\n\t€80.00\u2028now ' }, 'Refund €80.00 now'],
    [
      'the first sentence of the preview',
      { preview: 'Refunds €80.00.\nTo Jane.' },
      'Refunds €80.00',
    ],
    ['never the header of a diff', { preview: '--- a.txt\n+++ a.txt' }, 'Close account: A-10293'],
    ['never a label', { preview: 'Order number:\nA-1' }, 'Close account: A-10293'],
    ['never a single word', { preview: 'Refund' }, 'Close account: A-10293'],
    ['never JSON', { preview: '{ "a": 1 }' }, 'Close account: A-10293'],
    [
      'never a failed preview',
      { preview: 'As things stand, this would fail: No such file.' },
      'Close account: A-10293',
    ],
    [
      'never the note that there is no preview',
      { preview: { text: 'The tool’s preview failed, so none is shown.', basis: 'unseen' } },
      'Close account: A-10293',
    ],
    ['never empty', { said: ' \n ' }, 'Close account: A-10293'],
    ['never text without letters', { said: '—…!' }, 'Close account: A-10293'],
    ['never a number', { said: 7 }, 'Close account: A-10293'],
    ['never text of a megabyte', { said: 'a'.repeat(1_000_000) }, 'Close account: A-10293'],
    ['a number if no argument is text', { args: { amount: 8000 } }, 'Close account: 8000'],
    ['the tool’s name without arguments', { args: {} }, 'Close account'],
    [
      'the tool’s name if all arguments are secret',
      { args: { token: 'tok-not-real' } },
      'Close account',
    ],
  ] as const) {
    it(`is ${what}`, () => {
      assert.equal(summaryOf({ args: ARGS, ...facts }), wanted);
    });
  }

  it('hides secrets of the call and text that looks like a secret', () => {
    const said = 'Pay with tok-not-real, dG9rLW5vdC1yZWFs and xoxb-1234567890';
    assert.equal(summaryOf({ args: ARGS, said }), 'Pay with [hidden], [hidden] and [hidden]');
    assert.equal(
      summaryOf({ args: ARGS, preview: 'Pays with tok-not-real.' }),
      'Pays with [hidden]',
    );
    const order = { ...ARGS, order: 'tok-not-real' };
    assert.equal(summaryOf({ args: order, said: 'tok-not-real' }), 'Close account: [hidden]');
  });

  it('is the tool’s name if a secret of three characters appears as a word', () => {
    const args = { token: '123', order: 'A 123' };
    assert.equal(summaryOf({ args, said: 'Pay with 123 now' }), 'Close account');
    assert.equal(summaryOf({ args, said: 'Pay 12345' }), 'Pay 12345');
  });

  it('is absent for external and server tools, unless it is our own text', () => {
    const call = { args: '{}', proposedArgs: '{}' };
    const tool = { name: 'close_account', schema: SCHEMA, secrets: [] };
    const facts = { call, tool, args: {}, said: undefined, preview: { text: 'Closes it all.' } };
    const outside = { by: 'key', name: 'bot' };
    assert.equal(summarize({ ...facts, call: { ...call, outside } }), undefined);
    assert.equal(summarize({ ...facts, tool: { ...tool, server: 'bank' } }), undefined);
    assert.equal(summarize({ ...facts, call: { ...call, outside }, said: 'Run: ls' }), 'Run: ls');
  });

  it('holds no secret, one line and at most 150 characters, whatever the tool returns', () => {
    const text = fc.string({ unit: 'binary', maxLength: 200 });
    const secret = fc.oneof(
      fc.stringMatching(/^[A-Za-z0-9+/]{4,60}$/),
      fc.stringMatching(/^[a-z]{4,9}[ \n]{1,3}[a-z]{4,9}$/),
      fc.stringMatching(/^[0-9]{1,3}$/),
    );
    const isHeld = (line: string, each: string) =>
      each.length < 4
        ? line.split(/[^\p{L}\p{N}]+/u).includes(each)
        : line.includes(each) || line.includes(toSingleLine(each));
    fc.assert(
      fc.property(secret, text, text, fc.boolean(), (token, before, after, isPolicy) => {
        fc.pre(!isHeld('Close account hidden', token));
        const said = `${before} ${token} ${after}`;
        const args = { order: said, note: token, ...(!isPolicy && { token }) };
        const redact = isPolicy ? ['note'] : [];
        for (const facts of [{ said }, { preview: `Closes ${said}` }, {}]) {
          const summary = summaryOf({ args, redact, ...facts });
          assert.ok(summary !== undefined && summary.length <= MAX_TITLE_LENGTH);
          assert.match(summary, /^[^\n\r\u2028\u2029]+$/);
          assert.ok(!isHeld(summary, token), `${summary} holds ${token}`);
          const name = callTitle(aCall({ summary, args: canonicalJson(args) }));
          assert.ok(name.length <= MAX_TITLE_LENGTH);
          assert.equal(toVisible(name.replaceAll('\\u{', '')).hidden, 0);
        }
      }),
    );
  });
});

describe('a summary when the policy redacts an argument', () => {
  const made = (summary: string, note: string, redact = ['note']) => {
    const args = canonicalJson({ note });
    return aCall({ tool: 'close_account', summary, args, proposedArgs: args, redact });
  };

  it('is kept if it does not contain the argument', () => {
    assert.equal(withSafeSummary(made('Close A-1', 'k-000111')).summary, 'Close A-1');
    assert.equal(withSafeSummary(made('Close k-000111', 'k-000111', [])).summary, 'Close k-000111');
  });

  it('becomes the tool’s name if it contains the argument or its truncated start', () => {
    const long = `Close ${'x'.repeat(140)} k-…`;
    for (const summary of ['Close k-000111', 'Close azAwMDExMQ', long]) {
      const note = summary === 'Close azAwMDExMQ' ? 'k000111' : 'k-000111';
      assert.equal(withSafeSummary(made(summary, note)).summary, 'Close account', summary);
    }
  });

  it('is removed from an external call', () => {
    const outside = { by: 'key', name: 'bot' } as const;
    const call = { ...made('Run: use k-000111', 'k-000111'), outside };
    assert.equal('summary' in withSafeSummary(call), false);
  });
});

describe('the name of a call', () => {
  const key = { by: 'key', name: 'deploy-bot' } as const;
  for (const [what, patch, wanted] of [
    ['its summary', { summary: 'Write a.txt' }, 'Write a.txt'],
    ['the tool’s name in words', { tool: 'close_account' }, 'Close account'],
    [
      'the caller and the tool',
      { tool: 'close_account', outside: key },
      'deploy-bot: close_account',
    ],
    [
      'the caller and our summary',
      { tool: 'Bash', outside: key, summary: 'Run: npm run build' },
      'deploy-bot · Run: npm run build',
    ],
    [
      'never the text of a graph',
      { tool: 'pay', outside: { by: 'graph', name: 'g' } as const, summary: 'Harmless' },
      'g: pay',
    ],
    ['a server and its tool', { tool: 'git_hub__close', server: 'git hub' }, 'git hub: close'],
    [
      'a server and a tool with another prefix',
      { tool: 'other__close', server: 'hub' },
      'hub: other__close',
    ],
    [
      'written with visible characters only',
      { summary: 'Pay \u202eenaJ\u200b' },
      'Pay \\u{202e}enaJ\\u{200b}',
    ],
    ['cut to the length of a header', { summary: 'a'.repeat(200) }, `${'a'.repeat(149)}…`],
  ] as const) {
    it(`is ${what}`, () => {
      assert.equal(callTitle(aCall(patch)), wanted);
    });
  }

  it('writes tool names as words', () => {
    const names = ['fetchURL', 'sendHTMLMail', 'run2Jobs', 'a', '__', 'send.mail-now', 'ΑΒ_γδ'];
    assert.deepEqual(names.map(toolTitle), [
      'Fetch URL',
      'Send HTML mail',
      'Run2 jobs',
      'A',
      '__',
      'Send mail now',
      'ΑΒ γδ',
    ]);
  });

  it('is one line of at most 150 characters', () => {
    const any = fc.string({ unit: 'binary', maxLength: 300 });
    fc.assert(
      fc.property(any, any, any, (summary, tool, name) => {
        for (const patch of [
          { summary, tool },
          { tool },
          { tool, summary, outside: { ...key, name } },
        ]) {
          const line = callTitle(aCall(patch));
          assert.ok(line.length <= MAX_TITLE_LENGTH);
          assert.doesNotMatch(line, /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]/u);
        }
      }),
    );
  });
});
