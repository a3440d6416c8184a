/** The package as others import it: the examples of the documentation, compiled by strict TypeScript in their own project. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { readmeSnippet } from './support/readme-snippet.ts';
import { makeTempDir } from './support/temp-dir.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const INSTALLED = ['zod', 'langchain', '@langchain', '@types'];
const TSC = [
  ...['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022'],
  ...['--skipLibCheck', '--types', 'node'],
];

describe('a project that has Countersign installed', () => {
  let project: Awaited<ReturnType<typeof makeTempDir>>;
  const at = (...names: readonly string[]) => join(project.path, ...names);

  before(async () => {
    project = await makeTempDir();
    const its = at('node_modules', 'countersign');
    mkdirSync(its, { recursive: true });
    cpSync(join(ROOT, 'package.json'), join(its, 'package.json'));
    symlinkSync(join(ROOT, 'src'), join(its, 'src'));
    const env = { ...process.env, PATH: `${join(ROOT, 'node_modules/.bin')}:${process.env.PATH}` };
    // The files that npm makes before it packs.
    execFileSync('npm', ['run', '--silent', 'prepack'], { cwd: its, env });
    for (const name of INSTALLED)
      symlinkSync(join(ROOT, 'node_modules', name), at('node_modules', name));
    writeFileSync(at('package.json'), '{ "type": "module" }');
  });
  after(() => project.remove());

  function check(name: string, text: string): string {
    writeFileSync(at(name), text);
    const run = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), [...TSC, name], {
      cwd: project.path,
      encoding: 'utf8',
    });
    return run.stdout;
  }

  const CLIENT = readmeSnippet('src/http/README.md', '// ask-rm.mts').replace(
    './countersign-client.ts',
    'countersign/client',
  );
  for (const [name, text] of [
    ['tools.ts', readmeSnippet('src/agent/tools/README.md', '// my-tools.ts')],
    ['helpers.ts', readmeSnippet('src/agent/README.md', 'defineHelper')],
    ['graph.ts', readmeSnippet('src/agent/graphs/README.md', '// my-agent.ts')],
    ['client.mts', CLIENT],
  ] as const) {
    it(`compiles ${name} of the documentation as written`, () => {
      assert.match(text, /from 'countersign\//);
      assert.equal(check(name, text), '');
    });
  }

  it('gets type errors for mistakes: the types are those of the schema and of the desk', () => {
    const told = check(
      'wrong.ts',
      `import { defineGraph } from 'countersign/graph';
import { defineHelper } from 'countersign/helpers';
import { defineTool } from 'countersign/tools';
import { z } from 'zod';
import { z as z3 } from 'zod/v3';

const base = { name: 'a', description: 'A.', schema: z.object({ n: z.number() }) };
defineTool({ ...base, run: ({ n }) => n.trim() });
defineTool({ ...base, run: ({ m }) => m });
defineTool({ ...base, schema: z3.object({ n: z3.number() }), run: ({ n }) => n.trim() });
defineTool({ ...base, summary: ({ n }) => n, run: () => '' });
defineTool({ ...base, run: (_args, { report }) => report(7) });
defineTool({ ...base, run: () => '', risk: 'huge' });
defineHelper({ name: 'a', description: 'A.', prompt: 'B.', tools: 'some' });
defineGraph((checkpointer) => checkpointer.trim());
`,
    );
    const lines = told.match(/^wrong\.ts\((\d+)/gm)?.map((line) => line.slice('wrong.ts('.length));
    assert.deepEqual([...new Set(lines)], ['8', '9', '10', '11', '12', '13', '14', '15'], told);
  });

  it('has the same objects at run time', async () => {
    const load = (name: string) =>
      import(pathToFileURL(join(ROOT, 'src/agent/exports', name)).href);
    const given = { name: 'a' };
    const [{ defineTool }, { defineHelper }, { defineGraph }] = await Promise.all(
      ['tools.js', 'helpers.js', 'graph.js'].map(load),
    );
    for (const define of [defineTool, defineHelper, defineGraph])
      assert.equal(define(given), given);
    writeFileSync(
      at('run.mjs'),
      `for (const name of ['tools', 'helpers', 'graph', 'client']) {
        console.log(Object.keys(await import('countersign/' + name)).filter((each) => /^(define|create)/.test(each)).join());
      }`,
    );
    const run = spawnSync(process.execPath, ['run.mjs'], { cwd: project.path, encoding: 'utf8' });
    const names = ['defineTool', 'defineHelper', 'defineGraph', 'createCountersign'];
    assert.equal(run.stdout, `${names.join('\n')}\n`, run.stderr);
  });
});
