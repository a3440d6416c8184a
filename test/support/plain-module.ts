import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nameOf } from './test-units.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Test modules that run in their own processes. */
export const PROGRAMS = [
  'test/bench/kit/probe.ts',
  'test/bench/kit/servers/click-server.ts',
  'test/crash/replicas/stopping-worker.ts',
  'test/fixtures/apps/open-reach-app.ts',
  'test/fixtures/apps/payer-gate-app.ts',
  'test/fixtures/apps/short-grace-app.ts',
  'test/fixtures/apps/short-lease-app.ts',
  'test/fixtures/mcp-server.ts',
  'test/stores/sqlite/hold-store.ts',
] as const;

/**
 * Returns the module that node runs, and its options: plain JavaScript if the
 * test command has built it, as it starts much faster; otherwise the module itself.
 */
export function plainModule(path: string): {
  readonly execArgv: readonly string[];
  readonly entry: string;
} {
  const { PLAIN_MODULES } = process.env;
  if (PLAIN_MODULES === undefined) return { execArgv: ['--import', 'tsx'], entry: path };
  const entry = join(PLAIN_MODULES, `${nameOf(relative(ROOT, path))}.js`);
  return { execArgv: ['--enable-source-maps'], entry };
}
