import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createToolbox } from '../../../src/agent/tools/create-toolbox.ts';
import { loadToolsModule, ToolsModuleError } from '../../../src/agent/tools/load-tools-module.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { NO_SIGNAL, THREAD } from '../agent-fixture.ts';

const clock = createManualClock();
const DIST = join(import.meta.dirname, '../../../dist');

/** Inside our packages, so that it finds zod like an operator's module, and outside the checked sources. */
function aModule(t: TestContext, source: string, name = 'tools.ts'): string {
  mkdirSync(DIST, { recursive: true });
  const folder = mkdtempSync(join(DIST, 'module-'));
  t.after(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'workspace'));
  writeFileSync(join(folder, name), `import { z } from 'zod';\n${source}`);
  return join(folder, name);
}

const RUN = `schema: z.object({ n: z.number() }), description: 'X.', run: () => 'ok'`;

const AGENT = `description: 'A.', prompt: 'Be it.', tools: 'all'`;

test('the tools of a module are added to the built-in ones; an invalid one is left out by name', async (t) => {
  const path = aModule(
    t,
    `class Counter {
       name = 'count'; description = 'Counts.'; schema = z.object({ by: z.number() }); total = 0;
       run(args: { by: number }) { this.total += args.by; return String(this.total); }
       preview(args: { by: number }) { return 'adds ' + args.by; }
     }
     export const tools = [
       new Counter(),
       { name: 'dated', ...{ description: 'D.', schema: z.object({ at: z.date() }), run: () => '' } },
       { name: 'paid', ${RUN}, risk: 'high', secrets: ['n'], idempotent: true },
     ];`,
  );
  const { tools: extra } = await loadToolsModule(path, clock);
  const { toolbox, leftOut } = createToolbox({
    workspaceDir: join(path, '..', 'workspace'),
    extra,
  });
  assert.deepEqual(
    toolbox.list().map(({ name }) => name),
    [
      ...['list_files', 'read_file', 'write_file', 'edit_file', 'delete_file', 'search_files'],
      ...['task', 'count', 'paid'],
    ],
  );
  assert.deepEqual(leftOut, [
    { name: 'dated', reason: 'Date cannot be represented in JSON Schema' },
  ]);
  const count = toolbox.get('count');
  const context = {
    signal: NO_SIGNAL,
    callId: 'call_k',
    idempotencyKey: 'k',
    report: () => {},
    requester: { team: 'T1', user: 'U1' },
    thread: THREAD,
  };
  await count?.run({ by: 2 }, context);
  assert.equal(await count?.run({ by: 3 }, context), '5');
  assert.deepEqual(await count?.preview?.({ by: 3 }), { text: 'adds 3' });
  const paid = toolbox.get('paid');
  assert.deepEqual([paid?.risk, paid?.secrets, paid?.idempotent], ['high', ['n'], true]);
});

const WRONG: readonly (readonly [what: string, source: string, why: RegExp])[] = [
  ['no list', 'export const tool = 1;', /must export a list named "tools"/],
  ['a default export', 'export default [];', /must export a list named "tools"/],
  ['a syntax error', 'export const tools = [', /can’t be loaded/],
  ['an error at import', `throw new Error('no key');`, /can’t be loaded: no key/],
  ['no entry', 'export const tools = [null];', /tools\[0\]: /],
  ['no name', `export const tools = [{ ${RUN} }];`, /tools\[0\]: name: /],
  [
    'a name with a space',
    `export const tools = [{ name: 'a b', ${RUN} }];`,
    /tools\[0\] \(a b\): name: must be 1 to 64/,
  ],
  ['a long name', `export const tools = [{ name: 'x'.repeat(65), ${RUN} }];`, /must be 1 to 64/],
  [
    'no schema',
    `export const tools = [{ name: 'a', description: 'A.', run() {} }];`,
    /\(a\): schema: must be a zod schema/,
  ],
  [
    'a JSON schema',
    `export const tools = [{ name: 'a', ${RUN}, schema: { type: 'object' } }];`,
    /schema: must be a zod schema/,
  ],
  [
    'no run',
    `export const tools = [{ name: 'a', description: 'A.', schema: z.object({}) }];`,
    /run: must be a function/,
  ],
  [
    'an empty description',
    `export const tools = [{ name: 'a', ${RUN}, description: '' }];`,
    /description: must describe/,
  ],
  [
    'an unknown risk',
    `export const tools = [{ name: 'ok', ${RUN} }, { name: 'b', ${RUN}, risk: 'huge' }];`,
    /tools\[1\] \(b\): risk: /,
  ],
  [
    'a name twice',
    `export const tools = [{ name: 'a', ${RUN} }, { name: 'a', ${RUN} }];`,
    /two tools named “a”/,
  ],
  [
    'a misspelt option, which would show a secret',
    `export const tools = [{ name: 'a', ${RUN}, secret: ['n'] }];`,
    /tools\[0\] \(a\): “secret” is not a key of a tool\. Did you mean “secrets”\?/,
  ],
  [
    'an option in other letters',
    `export const tools = [{ name: 'a', ${RUN}, Risk: 'high' }];`,
    /“Risk” is not a key of a tool\. Did you mean “risk”\?/,
  ],
  [
    'an approval that is not the policy’s',
    `export const tools = [{ name: 'a', ${RUN}, needsApproval: true }];`,
    /“needsApproval” has no effect: the policy decides who approves a tool/,
  ],
  [
    'an option that agents have not',
    `export const agents = [{ name: 'a', ${AGENT}, model: 'openai/x' }];`,
    /agents\[0\] \(a\): it: Unrecognized key: "model"/,
  ],
  [
    'a list that is named wrong',
    `export const tools = []; export const agent = [{ name: 'a', ${AGENT} }];`,
    /exports a list named “agent”\. Did you mean “agents”\?/,
  ],
  ['agents that are not a list', 'export const agents = {};', /"agents" as a list/],
  [
    'an agent whose name people could not read',
    `export const agents = [{ name: 'My Agent', ${AGENT} }];`,
    /agents\[0\] \(My Agent\): name: must be 1 to 32 lower-case letters/,
  ],
  [
    'an agent without a prompt or tools',
    `export const agents = [{ name: 'a', description: 'A.' }];`,
    /agents\[0\] \(a\): prompt: .*; tools: must be a list of tool names, or "all"/,
  ],
  [
    'two agents of one name',
    `export const agents = [{ name: 'a', ${AGENT} }, { name: 'a', ${AGENT} }];`,
    /two agents named “a”/,
  ],
];

for (const [what, source, why] of WRONG) {
  test(`${what} stops the start and says what is wrong`, async (t) => {
    const path = aModule(t, source);
    await assert.rejects(loadToolsModule(path, clock), (error: Error) => {
      assert.ok(error instanceof ToolsModuleError);
      assert.match(error.message, /^TOOLS_MODULE: /);
      assert.match(error.message, why);
      return true;
    });
  });
}

test('a missing module stops the start', async () => {
  await assert.rejects(
    loadToolsModule('no/such/tools.ts', clock),
    /TOOLS_MODULE: no\/such\/tools\.ts can’t be loaded: there is no such file\. Set the path of the module/,
  );
});

test('a tool cannot replace a built-in one', async (t) => {
  const path = aModule(t, `export const tools = [{ name: 'read_file', ${RUN} }];`, 'tools.mjs');
  const { tools: extra } = await loadToolsModule(path, clock);
  assert.throws(() => createToolbox({ workspaceDir: '.', extra }), /“read_file” is taken/);
});

test('agents of a module are added to the built-in ones, and the agent may use any of them', async (t) => {
  const path = aModule(
    t,
    `export const agents = [{ name: 'payer', description: 'Pays.', prompt: 'Pay.', tools: ['read_file'] }];`,
  );
  const { tools: extra, agents } = await loadToolsModule(path, clock);
  const { toolbox, helpers } = createToolbox({ workspaceDir: '.', extra, agents });
  assert.deepEqual(
    helpers.map(({ name }) => name),
    ['research', 'worker', 'payer'],
  );
  const task = toolbox.get('task');
  assert.match(task?.description ?? '', /- research: .*\n- worker: .*\n- payer: Pays\.$/);
  assert.ok(task?.parse({ agent: 'payer', prompt: 'Pay.' }).ok);
  assert.ok(!task?.parse({ agent: 'nobody', prompt: 'Pay.' }).ok);
  assert.ok(!task?.parse({ agent: 'payer', prompt: ' ' }).ok);
  assert.deepEqual(task?.delegate?.({ agent: 'payer', prompt: 'Pay.' }), {
    agent: 'payer',
    prompt: 'Pay.',
  });
});

test('an agent cannot have unknown tools, or the name of a built-in agent', () => {
  const agent = {
    name: 'payer',
    description: 'Pays.',
    prompt: 'Pay.',
    tools: ['read_file', 'pay'],
  };
  const box = (patch: object) =>
    createToolbox({ workspaceDir: '.', agents: [{ ...agent, ...patch }] });
  assert.throws(
    () => box({}),
    /agent “payer” has unknown tools: pay\. Available tools: list_files, /,
  );
  assert.throws(() => box({ name: 'research' }), /“research” is taken by a built-in agent/);
});

test('a module that never finishes loading stops the start, and is named', async (t) => {
  const path = aModule(t, 'await new Promise(() => {}); export const tools = [];', 'tools.mts');
  const loading = assert.rejects(loadToolsModule(path, clock), /tools\.mts can’t be loaded.*30 s/);
  await clock.advance(30_000);
  await loading;
});
