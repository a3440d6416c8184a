/** The OpenAPI document, checked by an independent linter: https://redocly.com/docs/cli/commands/lint */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { makeTempDir } from '../../support/temp-dir.ts';
import { setApiStage } from './api-stage.ts';

const LINTER = fileURLToPath(
  new URL('../../../node_modules/@redocly/cli/bin/cli.js', import.meta.url),
);

it('redocly lint finds no problem in /api/openapi.json', async (t) => {
  const stage = await setApiStage(t);
  const { path: cwd, remove } = await makeTempDir();
  t.after(remove);
  const file = join(cwd, 'openapi.json');
  await writeFile(file, JSON.stringify(stage.document()));
  const args = [LINTER, 'lint', file, '--extends=recommended-strict', '--format=json'];
  // Otherwise it checks the network for updates, and reports this run.
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd, env }).catch(
    (error: { readonly stdout: string }) => error,
  );
  const { problems, totals } = JSON.parse(stdout) as { problems: object[]; totals: object };
  assert.deepEqual(
    totals,
    { errors: 0, warnings: 0, ignored: 0 },
    JSON.stringify(problems, null, 1),
  );
});
