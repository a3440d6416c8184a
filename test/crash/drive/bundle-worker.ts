import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { keepPlaces } from '../../support/bundle-tests.ts';

/** The worker as one file, which starts several times faster than its sources. */
export interface WorkerBundle {
  readonly path: string;
  remove(): Promise<void>;
}

const ENTRY = fileURLToPath(new URL('../lean/worker.ts', import.meta.url));
const require = createRequire(import.meta.url);
/** Some bundled modules are CommonJS, and need `require`. */
const REQUIRE = `import { createRequire as createBannerRequire } from 'node:module'; const require = createBannerRequire(${JSON.stringify(import.meta.url)});`;

/** Bundles the worker with the current sources. */
export async function bundleWorker(): Promise<WorkerBundle> {
  const dir = await mkdtemp(join(tmpdir(), 'countersign-worker-'));
  const path = join(dir, 'worker.mjs');
  await build({
    entryPoints: [ENTRY],
    outfile: path,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    banner: { js: REQUIRE },
    logLevel: 'warning',
    plugins: [
      keepPlaces,
      {
        // It loads a native library from its own folder.
        name: 'native',
        setup({ onResolve }) {
          onResolve({ filter: /^better-sqlite3$/ }, ({ path: name }) => ({
            path: pathToFileURL(require.resolve(name)).href,
            external: true,
          }));
        },
      },
    ],
  });
  return { path, remove: () => rm(dir, { recursive: true, force: true }) };
}
