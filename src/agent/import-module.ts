import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Clock } from '../domain/ports/clock.ts';
import { withTimeout } from '../domain/runtime/timeout.ts';

const LOAD_TIMEOUT_MS = 30_000;

/** Imports an operator's module. Rejects if it fails, or takes longer than 30 s to load. */
export async function importModule(
  path: string,
  clock: Clock,
): Promise<Readonly<Record<string, unknown>>> {
  await registerTypeScript();
  return await withImportTimeout(
    import(pathToFileURL(resolve(path)).href),
    'it did not load within 30 s; check its top-level await',
    clock,
  );
}

let registering: Promise<unknown> | undefined;

/** Registers a TypeScript loader: Node 20 has none, and operators' modules may use TypeScript. */
async function registerTypeScript(): Promise<void> {
  registering ??= import('tsx/esm/api').then(({ register }) => register());
  await registering;
}

/** Waits for an operator's code with the same timeout. Rejects with the sentence after 30 s. */
export async function withImportTimeout<Made>(
  made: Made | Promise<Made>,
  sentence: string,
  clock: Clock,
): Promise<Made> {
  return await withTimeout(clock, LOAD_TIMEOUT_MS, made, () => {
    throw new Error(sentence);
  });
}
