import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Cancel, Clock } from '../domain/ports/clock.ts';

const LOAD_TIMEOUT_MS = 30_000;

/** Imports an operator's module; rejects when it fails, or waits for ever at its top. */
export async function importModule(
  path: string,
  clock: Clock,
): Promise<Readonly<Record<string, unknown>>> {
  await readTypeScript();
  return await withImportTimeout(
    import(pathToFileURL(resolve(path)).href),
    'it was not loaded within 30 s; does it wait for something at its top?',
    clock,
  );
}

let reading: Promise<unknown> | undefined;

/** Node 20 reads no TypeScript by itself, and an operator’s module may be, or import, what is written in it. */
async function readTypeScript(): Promise<void> {
  reading ??= import('tsx/esm/api').then(({ register }) => register());
  await reading;
}

/** Waits as long for what an operator's module makes as for the module; rejects with the sentence when that is over. */
export async function withImportTimeout<Made>(
  made: Made | Promise<Made>,
  sentence: string,
  clock: Clock,
): Promise<Made> {
  let cancel: Cancel = () => {};
  const tooLate = new Promise<never>((_resolve, reject) => {
    cancel = clock.schedule(clock.now() + LOAD_TIMEOUT_MS, () => reject(new Error(sentence)));
  });
  try {
    return await Promise.race([made, tooLate]);
  } finally {
    cancel();
  }
}
