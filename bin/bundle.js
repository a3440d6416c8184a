/**
 * Bundles the app's TypeScript into JavaScript that Node 20 can run. Each state of the sources has
 * its own folder: a start bundles only after a change, and running processes keep their version.
 */
import { createHash, randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { PLAIN_JS } from './plain-js.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const OUT = join(ROOT, 'dist', 'app');
const ENTRIES = { main: 'src/main.ts', cli: 'src/cli.ts' };
/** Older folders belong to processes that ended long ago. */
const KEPT = 3;

/** The output folder is not writable. The message says what to do. */
class UnwritableError extends Error {
  name = 'UnwritableError';
}

/**
 * Imports the entry `main` or `cli`, bundled from the current sources. If bundling fails, prints
 * the reason and exits with `exitCode`.
 */
export async function importApp(name, exitCode = 1) {
  process.setSourceMapsEnabled(true);
  const folder = await bundleApp().catch((error) => {
    process.stderr.write(`${error instanceof UnwritableError ? error.message : error.stack}\n`);
    process.exit(exitCode);
  });
  await import(pathToFileURL(join(folder, `${name}.js`)).href);
}

/**
 * Returns the folder of the bundle of the current sources, building it if needed. Throws
 * `UnwritableError` if it cannot be written.
 */
export async function bundleApp() {
  const folder = join(OUT, hashSources());
  if (!existsSync(folder)) await buildFolder(folder);
  return folder;
}

function hashSources() {
  const hash = createHash('sha256');
  const names = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
  const sources = names.filter((name) => /\.[jt]sx?$/.test(name)).map((name) => join('src', name));
  for (const path of ['package.json', 'bin/bundle.js', 'bin/plain-js.js', ...sources.sort()]) {
    hash
      .update(path)
      .update('\0')
      .update(readFileSync(join(ROOT, path)))
      .update('\0');
  }
  return hash.digest('hex').slice(0, 16);
}

async function buildFolder(folder) {
  const temporary = join(OUT, `new-${randomUUID()}`);
  try {
    mkdirSync(temporary, { recursive: true });
  } catch (error) {
    throw new UnwritableError(
      `Countersign’s build in dist/app is older than its source and can’t be updated: ${error.message}. Run npm ci in the Countersign folder as a user who may write there.`,
      { cause: error },
    );
  }
  try {
    await build(temporary);
    renameSync(temporary, folder);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    // Another process built it first.
    if (!existsSync(folder)) throw error;
  }
  removeOld();
}

async function build(outdir) {
  const esbuild = await import('esbuild');
  await esbuild.build({
    ...PLAIN_JS,
    absWorkingDir: ROOT,
    entryPoints: ENTRIES,
    outdir,
    plugins: [keepSourceUrls],
  });
}

/**
 * Makes `import.meta.url` point to the source file, so that modules find the files beside their
 * source.
 */
const keepSourceUrls = {
  name: 'keep-source-urls',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]src[\\/].*\.[jt]sx?$/ }, ({ path }) => {
      const sourcePath = ['..', '..', '..', ...relative(ROOT, path).split(sep)].join('/');
      const text = readFileSync(path, 'utf8');
      const contents = text.replaceAll(
        'import.meta.url',
        `new URL(${JSON.stringify(sourcePath)}, import.meta.url).href`,
      );
      return { contents, loader: /\.(\w+)$/.exec(path)?.[1] };
    });
  },
};

function removeOld() {
  const folders = readdirSync(OUT)
    .map((name) => join(OUT, name))
    .map((path) => ({ path, at: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 }))
    .sort((one, other) => other.at - one.at);
  for (const { path } of folders.slice(KEPT)) rmSync(path, { recursive: true, force: true });
}
