import { inspect } from 'node:util';
import { createApp } from './app.ts';
import { readConfig } from './config.ts';
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
  const app =
    config.mode === 'playground'
      ? // A workspace's app does without it, and starts sooner.
        await (await import('./playground/start-playground.ts')).startPlayground(config, {
          clock,
          log,
        })
      : await createApp(config, { clock, log });
  stopOnSignal(process, app, { clock, log });
  console.log(
    'pageUrl' in app
      ? `Countersign’s playground is open: ${app.pageUrl}`
      : `Countersign is in your workspace; its health is at ${app.url}/healthz`,
  );
} catch (error) {
  tellWhy(error);
  process.exit(1);
}
