/** What admins read about changed tools: bounded, and never in a server's own markup. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ChangedTool } from '../../../src/domain/tools/server-tools.ts';
import { hashClaims, shortPin, type ToolClaims } from '../../../src/domain/tools/tool-pin.ts';
import { validateMessage } from '../../../src/playground/workspace/blocks/validate-blocks.ts';
import { describeAccepted, listServerTools } from '../../../src/slack/home/server-tool-texts.ts';
import { createServerToolsSection } from '../../../src/slack/home/server-tools-section.ts';
import { LIMITS } from '../../../src/slack/text/limits.ts';
import { APPROVER, REQUESTER } from '../../support/builders/a-call.ts';
import { createTestDirectory } from '../../support/builders/a-directory.ts';

function aChange(
  tool: string,
  description: string,
  schema: ToolClaims['schema'] = {},
): ChangedTool {
  const before = { server: 'box', tool, description: 'Does.', schema: {}, annotations: {} };
  const now = { ...before, description, schema };
  const pin = { name: `box__${tool}`, claims: before, hash: hashClaims(before), at: 1 };
  return { name: pin.name, before: pin, now, hash: hashClaims(now) };
}

const HOSTILE = '<!channel> <https://evil.example|press> *bold* `code` ```\u202e\u0007';
const SERVER = {
  name: `b\`ox ${HOSTILE}`,
  isConnected: false,
  tools: ['box__a'],
  leftOut: [{ name: HOSTILE, reason: `\n${HOSTILE}` }],
  problem: `${HOSTILE}${'x'.repeat(9_000)}`,
};

describe('what admins read about servers', () => {
  it('stays within Slack’s limits and our own texts, whatever a server sends', () => {
    const big = Object.fromEntries(
      Array.from({ length: 2_000 }, (_, i) => [`field${i}`, HOSTILE] as const),
    );
    const changed = Array.from({ length: 60 }, (_, i) =>
      aChange(`t${i}`, HOSTILE.repeat(200), big),
    );
    const servers = Array.from({ length: 60 }, () => SERVER);
    const all = { kind: 'tools' as const, servers, changed };
    const [first] = changed;
    assert(first);
    const messages = [
      listServerTools(all, ''),
      listServerTools(all, 'box__t7'),
      listServerTools(all, HOSTILE),
      listServerTools({ ...all, servers: [] }, ''),
      describeAccepted({ kind: 'other', changed: first }, true),
    ];
    for (const message of messages) {
      assert.deepEqual(validateMessage(message), []);
      assert(JSON.stringify(message.blocks).length < 2 * LIMITS.messageCharacters);
      for (const block of message.blocks) {
        const markup = block.type === 'section' ? (block.text?.text ?? '') : '';
        assert.doesNotMatch(markup, /<[!@#h]|\u202e|\p{Cc}(?<!\n)/u);
      }
    }
    const whole = JSON.stringify(messages[1]?.blocks);
    const line = `/countersign accept box__t7 ${shortPin(changed[7]?.hash ?? '')}`;
    assert(whole.includes(line));
  });

  it('makes a difference visible that plain text would hide', () => {
    const same = { ...aChange('a', 'Does.'), hash: 'f'.repeat(64) };
    const found = {
      kind: 'tools' as const,
      servers: [{ ...SERVER, name: 'box' }],
      changed: [same],
    };
    assert.match(
      JSON.stringify(listServerTools(found, '').blocks),
      /part shown here is unchanged.*differs further on/,
    );
  });

  it('is only on the Home of admins, and only while a tool waits', async () => {
    let changed = [aChange('a', 'Does more.')];
    const directory = createTestDirectory({ [APPROVER.user]: { isAdmin: true } });
    const part = createServerToolsSection({
      directory,
      tools: { list: async () => ({ kind: 'tools', servers: [], changed }) },
    });
    assert.match(JSON.stringify(await part(APPROVER)), /countersign tools.*box__a/);
    assert.deepEqual(await part(REQUESTER), []);
    changed = [];
    assert.deepEqual(await part(APPROVER), []);
  });
});
