import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  createSqliteStore,
  type SqliteStore,
} from '../../../src/stores/sqlite/create-sqlite-store.ts';
import { createManualClock, type ManualClock } from '../../support/manual-clock.ts';
import { plainModule } from '../../support/plain-module.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

/** Makes a folder that is removed when the test ends. */
export async function tempDir(t: TestContext): Promise<string> {
  const { path, remove } = await makeTempDir();
  t.after(remove);
  return path;
}

/** Opens a store that is closed when the test ends. */
export async function openStore(
  t: TestContext,
  options: { readonly dataDir?: string; readonly onWake?: () => void } = {},
): Promise<{ store: SqliteStore; clock: ManualClock; dataDir: string }> {
  const clock = createManualClock();
  const dataDir = options.dataDir ?? (await tempDir(t));
  const store = createSqliteStore({ ...options, dataDir, clock });
  t.after(() => store.close());
  return { store, clock, dataDir };
}

/** Starts a process that opens the store, works, and stays; resolves with its first line, or with its error. */
export async function holdInProcess(
  t: TestContext,
  dataDir: string,
): Promise<{ readonly said: string; kill(): Promise<void> }> {
  const script = fileURLToPath(new URL('./hold-store.ts', import.meta.url));
  const { entry, execArgv } = plainModule(script);
  const child = spawn(process.execPath, [...execArgv, entry, dataDir], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const exit = once(child, 'exit');
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exit;
  };
  t.after(kill);
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => {
      said += text;
    });
  }
  await Promise.race([once(child.stdout, 'data'), exit]);
  return { said, kill };
}
