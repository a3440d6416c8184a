/** `countersign policy check`: its messages with their position, and its exit code. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readConfig } from '../../../src/config/config.ts';
import { startPlayground } from '../../../src/playground/start-playground.ts';
import { createLog } from '../../../src/process/log.ts';
import { createSystemClock } from '../../../src/process/system-clock.ts';
import { readmeSnippet } from '../../support/readme-snippet.ts';
import { folderWith, POLICY } from './policy-stage.ts';

describe('countersign policy check', () => {
  it('reports a valid file, lists the names that Slack must know, and exits with 0', async (t) => {
    const { call } = await folderWith(t, { 'policy.yaml': POLICY });
    const { code, err, out } = await call(['policy', 'check']);
    assert.equal(err, '');
    assert.equal(
      out,
      `./policy.yaml:5:43: warning: On the route “ops” the requester’s own approval never counts. Remove “requester”, or add selfApproval: true.
    5 |     approvers: [usergroup:S0OPS, "@lead", requester]
      |                                           ^
./policy.yaml can be used: 6 rules, 1 route of its own.
These names are looked up in Slack at the start: @lead, #ops.
rule 2, line 13: “research” means helper:research.
`,
    );
    assert.equal(code, 0);
  });

  it('points at arguments that a tool does not have, and exits with 0', async (t) => {
    const rules = `version: 1
rules:
  - tools: [write_file]
    when: args.pth.startsWith("secret/")
    gate: refuse
    reason: Hands off.
`;
    const { call } = await folderWith(t, { 'policy.yaml': rules });
    const { code, out } = await call(['policy', 'check']);
    assert.equal(
      out,
      `./policy.yaml:4:16: warning: “write_file” has no argument “pth”. Did you mean “path”?
    4 |     when: args.pth.startsWith("secret/")
      |                ^
./policy.yaml can be used: 1 rule, 0 routes of its own.
`,
    );
    assert.equal(code, 0);
  });

  it('finds no problem in the example of src/policy/README.md, and the playground starts with it', async (t) => {
    const example = readmeSnippet('src/policy/README.md', 'helper:research');
    const { call, path } = await folderWith(t, { 'policy.yaml': example });
    const { code, err, out } = await call(['policy', 'check']);
    assert.deepEqual([code, err, /warning/.test(out)], [0, '', false], out);
    assert.match(out, /can be used: 3 rules, 1 route of its own/);
    const config = readConfig({
      PORT: '0',
      DATA_DIR: join(path, 'data'),
      WORKSPACE_DIR: join(path, 'workspace'),
      POLICY_FILE: join(path, 'policy.yaml'),
    });
    assert(config.mode === 'playground');
    const logged: string[] = [];
    const log = createLog({
      level: 'info',
      destination: { write: (line) => void logged.push(line) },
    });
    const app = await startPlayground(config, { clock: createSystemClock(), log });
    await app.stop();
    assert.match(logged.join(''), /The policy in policy\.yaml is in force\./);
  });

  it('shows each error with its line and a marker, and exits with 1', async (t) => {
    const broken = 'version: 1\nrules:\n  - { tools: [fly], gate: no }\n';
    const { call, path } = await folderWith(t, { 'rules.yaml': broken });
    const { code, out } = await call(['policy', 'check', join(path, 'rules.yaml')]);
    const named = await call(['policy', 'check', '--file', join(path, 'rules.yaml')]);
    assert.deepEqual([named.code, named.out], [code, out]);
    assert.equal(code, 1);
    assert.equal(
      out,
      `./rules.yaml:3:27: “gate” can't be "no": it is run, ask or refuse.
    3 |   - { tools: [fly], gate: no }
      |                           ^
./rules.yaml can't be used: 1 error.
`,
    );
  });

  it('warns about unknown tools, and knows those of TOOLS_MODULE', async (t) => {
    const { call } = await folderWith(t, {
      'policy.yaml': 'version: 1\nrules:\n  - { tools: [fly, search], gate: run }\n',
    });
    const tools = fileURLToPath(new URL('../../fixtures/tools/search-tool.ts', import.meta.url));
    const { code, out } = await call(['policy', 'check'], { TOOLS_MODULE: tools });
    assert.equal(code, 0);
    assert.match(
      out,
      /3:15: warning: There is no tool like “fly” here\..* Your own tools come from TOOLS_MODULE\./,
    );
    assert.equal(out.match(/warning/g)?.length, 1);
    const without = await call(['policy', 'check'], { TOOLS_MODULE: './none.ts' });
    assert.match(without.err, /^TOOLS_MODULE: .*none\.ts can’t be loaded/);
    assert.equal(without.out.match(/warning/g)?.length, 2);
  });

  it('prints problems as JSON', async (t) => {
    const { call } = await folderWith(t, { 'policy.yaml': 'version: 2' });
    const { code, out } = await call(['policy', 'check', '--json']);
    assert.equal(code, 1);
    assert.deepEqual(JSON.parse(out), {
      ok: false,
      file: './policy.yaml',
      problems: [
        {
          severity: 'error',
          line: 1,
          column: 10,
          message: "“version” can't be 2: it is 1, the only version.",
        },
      ],
    });
  });

  it('exits with 1 if there is no file, or the agent could rewrite it', async (t) => {
    const { call, path } = await folderWith(t, { 'workspace/policy.yaml': POLICY });
    const none = await call(['policy', 'check']);
    assert.deepEqual([none.code, /no policy file: POLICY_FILE is unset/.test(none.out)], [1, true]);
    const gone = await call(['policy', 'check'], { POLICY_FILE: './gone.yaml' });
    assert.deepEqual([gone.code, /there is no such file/.test(gone.out)], [1, true]);
    const device = await call(['policy', 'check', '/dev/zero']);
    assert.deepEqual([device.code, /it is not a regular file/.test(device.out)], [1, true]);
    const inside = await call(['policy', 'check', join(path, 'workspace/policy.yaml')]);
    assert.deepEqual([inside.code, /inside WORKSPACE_DIR/.test(inside.out)], [1, true]);
  });
});
