/**
 * Makes plain JavaScript of the app's TypeScript, which Node 20 does not read: one folder for each
 * state of the sources, so that a start makes it only when they changed, and what runs keeps its own.
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
/** Older ones are of processes that ended long ago. */
const KEPT = 3;

/** Nothing can be written where it has to be; the message says what to do. */
class UnwritableError extends Error {
  name = 'UnwritableError';
}

/** Imports one of the app's modules, `main` or `cli`, made of the sources as they are now; ends the process with that code and a sentence when it can't be made. */
export async function importApp(name, exitCode = 1) {
  process.setSourceMapsEnabled(true);
  const folder = await bundleApp().catch((error) => {
    process.stderr.write(`${error instanceof UnwritableError ? error.message : error.stack}\n`);
    process.exit(exitCode);
  });
  await import(pathToFileURL(join(folder, `${name}.js`)).href);
}

/** Resolves with the folder of the app's modules, made of the sources as they are now; throws `UnwritableError` when it can't be written. */
export async function bundleApp() {
  const folder = join(OUT, hashSources());
  if (!existsSync(folder)) await makeFolder(folder);
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

async function makeFolder(folder) {
  const made = join(OUT, `new-${randomUUID()}`);
  try {
    mkdirSync(made, { recursive: true });
  } catch (error) {
    throw new UnwritableError(
      `Countersign’s source is newer than what was made of it in dist/app, and nothing can be written there: ${error.message}. Run npm ci in its folder as a user who may write there.`,
      { cause: error },
    );
  }
  try {
    await build(made);
    renameSync(made, folder);
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    // Another process was faster.
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
    plugins: [keepPlaces],
  });
}

/** A module finds the files beside it where its source lies. */
const keepPlaces = {
  name: 'keep-places',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]src[\\/].*\.[jt]sx?$/ }, ({ path }) => {
      const place = ['..', '..', '..', ...relative(ROOT, path).split(sep)].join('/');
      const text = readFileSync(path, 'utf8');
      const contents = text.replaceAll(
        'import.meta.url',
        `new URL(${JSON.stringify(place)}, import.meta.url).href`,
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
