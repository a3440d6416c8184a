import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toolsOf } from '../../../src/domain/tools/helper.ts';
import { serverPrefix, serverToolName } from '../../../src/domain/tools/server-tools.ts';
import type { Tool } from '../../../src/domain/tools/tool.ts';
import { buildToolbox } from '../../../src/domain/tools/toolbox.ts';
import { THREAD } from '../../support/builders/a-call.ts';

function aTool(name: string, description = ''): Tool {
  return {
    ...{ name, description, schema: {}, schemaHash: '', secrets: [] },
    risk: 'medium',
    idempotent: false,
    parse: (value) => ({ ok: true, value, canonical: '{}' }),
    run: async () => '',
  };
}

describe('a toolbox whose tools come and go', () => {
  it('has the current tools, and shows a removed one only to agents that could call it before', () => {
    let tools = [aTool('a'), aTool('b')];
    const gone = aTool('b', 'what b was');
    const box = buildToolbox(
      () => tools,
      undefined,
      (name) => (name === 'b' ? gone : undefined),
    );
    assert.equal(box.get('b'), tools[1]);
    tools = [aTool('a'), aTool('c')];
    assert.equal(box.get('b'), undefined);
    assert.equal(box.of({ tool: 'b' }), gone);
    assert.equal(box.get('c'), tools[1]);
    assert.equal(box.of({ tool: 'd' }), undefined);
    const helper = (has: readonly string[]) => ({
      ...{ name: 'worker', description: '', prompt: '' },
      tools: has,
    });
    const ofHelper = (has: readonly string[]) =>
      toolsOf({ toolbox: box, helpers: [helper(has)] }, THREAD, 'worker');
    assert.equal(ofHelper(['b']).of({ tool: 'b' }), gone);
    assert.equal(ofHelper(['a']).of({ tool: 'b' }), undefined);
    assert.equal(ofHelper(['a']).of({ tool: 'c' }), undefined);
  });
});

describe('the name of a server tool', () => {
  it('fits every provider, and is unique across servers', () => {
    const servers = ['a', 'a_', 'a__b', 'A b!', '-', 'x'.repeat(90), 'ümlaut'];
    const tools = ['b', '_b', 'b__c', 'c d', 'c_d', 'n'.repeat(200), '../etc', 'ü', 'ä'];
    const names = new Map<string, string>();
    for (const server of servers) {
      for (const tool of tools) {
        const name = serverToolName(server, tool);
        assert.match(name, /^[A-Za-z0-9_-]{1,64}$/);
        const owner = `${serverPrefix(server)}\0${tool}`;
        assert.equal(names.get(name) ?? owner, owner);
        names.set(name, owner);
      }
    }
    assert.equal(serverToolName('github', 'create_issue'), 'github__create_issue');
    assert.equal(serverPrefix('!!'), '');
  });
});
