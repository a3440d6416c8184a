import { inspect } from 'node:util';
import type { App, AppDeps } from './app-deps.ts';
import { type Config, readConfig } from './config.ts';
import { secretsOf } from './config-secrets.ts';
import { showLines } from './domain/terminal-text.ts';
import { createLog } from './log.ts';
import { readEnvFile } from './read-env-file.ts';
import { stopOnSignal } from './stop-on-signal.ts';
import { createSystemClock } from './system-clock.ts';

/** A fault of the program needs its stack; what was worded for a person needs nothing more. */
function tellWhy(error: unknown): void {
  const isFault = [TypeError, ReferenceError, RangeError].some((fault) => error instanceof fault);
  console.error(showLines(error instanceof Error && !isFault ? error.message : inspect(error)));
}

/** What a start does not need is not read: either way in is large. */
async function start(config: Config, deps: AppDeps): Promise<App> {
  if (config.mode === 'playground') {
    console.log('Starting the playground…');
    const { startPlayground } = await import('./playground/start-playground.ts');
    return await startPlayground(config, deps, (url) =>
      console.log(`Countersign’s playground is open: ${url}`),
    );
  }
  const { createApp } = await import('./app.ts');
  const app = await createApp(config, deps);
  console.log(`Countersign is in your workspace; its health is at ${app.url}/healthz`);
  return app;
}

try {
  // What is set already wins over the file.
  const envFile = readEnvFile();
  for (const [name, value] of Object.entries(envFile)) process.env[name] ??= value;
  const config = readConfig(process.env, { envFile });
  const log = createLog({ level: config.logLevel, secrets: secretsOf(config) });
  const clock = createSystemClock();
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'The app has a fault that it can’t go on with.');
    process.exit(1);
  });
  const app = await start(config, { clock, log });
  stopOnSignal(process, app, { clock, log });
} catch (error) {
  tellWhy(error);
  process.exit(1);
}
