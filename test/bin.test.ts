/** What `npm start` and `npx countersign` run: plain JavaScript, built from the current source. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { makeTempDir } from './support/temp-dir.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

const SOURCE = 'const greeting: string = process.argv.slice(2).join();\nconsole.log(greeting);\n';

describe('the build', () => {
  let folder: Awaited<ReturnType<typeof makeTempDir>>;
  const at = (...names: readonly string[]) => join(folder.path, ...names);
  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, args, { cwd: folder.path, encoding: 'utf8', timeout: 60_000 });
  before(async () => {
    folder = await makeTempDir();
    for (const name of ['bin', 'package.json']) {
      cpSync(join(ROOT, name), at(name), { recursive: true });
    }
    // A build of the whole source takes long, and each journey starts such a build anyway.
    mkdirSync(at('src'));
    for (const name of ['main', 'cli']) writeFileSync(at(`src/${name}.ts`), SOURCE);
    symlinkSync(join(ROOT, 'node_modules'), at('node_modules'));
  });
  after(() => folder.remove());

  it('runs once per state of the source, and keeps the last few results', () => {
    const made = new Set<string>();
    for (const word of ['', 'one', 'two', 'three', 'four']) {
      if (word !== '') appendFileSync(at('src/cli.ts'), `\nprocess.stderr.write('${word};');\n`);
      for (const _time of [1, 2]) {
        const { status, stderr } = run('bin/countersign.js', '--help');
        assert.equal(status, 0, stderr);
        assert.ok(stderr.endsWith(word === '' ? '' : `${word};`), stderr);
      }
      for (const name of readdirSync(at('dist/app'))) made.add(name);
    }
    assert.equal(made.size, 5);
    assert.equal(readdirSync(at('dist/app')).length, 3);
  });

  it('reports errors with the lines of the source', () => {
    appendFileSync(at('src/cli.ts'), "\nthrow new Error('Broken by a test.');\n");
    const { status, stderr } = run('bin/countersign.js', '--help');
    assert.equal(status, 1);
    assert.match(stderr, /src\/cli\.ts:\d+/);
    assert.equal(run('bin/countersign.js', 'hook').status, 2);
  });

  it('explains what to do when it cannot be written, and makes a hook refuse', () => {
    rmSync(at('dist'), { recursive: true });
    writeFileSync(at('dist'), '');
    for (const [args, code] of [
      [['bin/start.js'], 1],
      [['bin/countersign.js', '--help'], 1],
      [['bin/countersign.js', 'hook'], 2],
    ] as const) {
      const { status, stderr } = run(...args);
      assert.equal(status, code, stderr);
      assert.match(
        stderr,
        /^Countersign’s build in dist\/app is older than .* Run npm ci in the Countersign folder.*\n$/,
      );
    }
  });
});
