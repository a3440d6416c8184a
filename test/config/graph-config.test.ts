import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { ConfigError, readConfig } from '../../src/config/config.ts';
import { secretValuesOf } from '../../src/config/secret-settings.ts';

const exists = (path: string) => path === resolve('./my-graph.ts');
const read = (env: Record<string, string>) => readConfig(env, { exists });
const SLACK = { SLACK_BOT_TOKEN: 'xoxb-1', SLACK_APP_TOKEN: 'xapp-1' };

describe('GRAPH', () => {
  it('names a module and its export, in place of a model', () => {
    const config = read({ ...SLACK, GRAPH: './my-graph.ts:graph' });
    const path = resolve('./my-graph.ts');
    assert.deepEqual(config.graph, { kind: 'module', path, exported: 'graph' });
    assert.equal(config.model, undefined);
  });

  it('names a server and its assistant, with a key that no log shows', () => {
    const config = read({
      GRAPH: 'https://graphs.example.com/base/#my%20agent',
      GRAPH_API_KEY: 'lsv2_key',
      MODEL: 'openai/gpt-4o',
      TOOLS_MODULE: './my-graph.ts',
      OPENAI_API_KEY: 'sk-1',
    });
    assert.deepEqual(config.graph, {
      kind: 'server',
      url: 'https://graphs.example.com/base',
      assistant: 'my agent',
      apiKey: 'lsv2_key',
    });
    assert.equal(config.toolsModule, undefined);
    assert.ok(secretValuesOf(config).includes('lsv2_key'));
    assert.ok(config.warnings.some((line) => line.startsWith('MODEL has no effect while GRAPH')));
  });

  const wrong: readonly (readonly [graph: string, sentence: RegExp])[] = [
    ['my-graph', /GRAPH must name a module and its export, like \.\/my-graph\.ts:graph, or/],
    ['./other.ts:graph', /GRAPH \.\/other\.ts:graph: there is no file .*other\.ts/],
    ['https://graphs.example.com', /GRAPH names no assistant\. Add # and its name/],
    ['https://graphs.example.com#100%', /GRAPH has an invalid % after the #\. Write %25/],
    ['ftp://graphs.example.com#agent', /GRAPH is not an http\(s\) address/],
    ['https://me:pass@graphs.example.com#agent', /GRAPH holds a user name or a password/],
  ];
  for (const [graph, sentence] of wrong) {
    it(`${graph} stops the start`, () => {
      assert.throws(
        () => read({ GRAPH: graph }),
        (error) => {
          assert.ok(error instanceof ConfigError);
          assert.match(error.problems.join('\n'), sentence);
          assert.ok(!error.message.includes('me:pass'));
          return true;
        },
      );
    });
  }
});
