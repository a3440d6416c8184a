import { inspect } from 'node:util';
import type { App, AppDeps } from './app/app-deps.ts';
import { type Config, readConfig } from './config/config.ts';
import { readEnvFile } from './config/env-file/read-env-file.ts';
import { secretValuesOf } from './config/secret-settings.ts';
import { toTerminalLines } from './domain/text/terminal-text.ts';
import { createLog } from './process/log.ts';
import { stopOnSignal } from './process/stop-on-signal.ts';
import { createSystemClock } from './process/system-clock.ts';

/** Prints the stack for programming errors, and only the message for errors worded for people. */
function printFailure(error: unknown): void {
  const isFault = [TypeError, ReferenceError, RangeError].some((fault) => error instanceof fault);
  console.error(
    toTerminalLines(error instanceof Error && !isFault ? error.message : inspect(error)),
  );
}

/**
 * Starts the app. `announcement` is printed once signal handlers are installed. The imports are
 * dynamic because each mode is large and does not need the other.
 */
async function start(
  config: Config,
  deps: AppDeps,
): Promise<{ readonly app: App; readonly announcement?: string }> {
  if (config.mode === 'playground') {
    console.log('Starting the playground…');
    const { startPlayground } = await import('./playground/start-playground.ts');
    const app = await startPlayground(config, deps, (url) =>
      console.log(`Countersign’s playground is open: ${url}`),
    );
    return { app };
  }
  const { createApp } = await import('./app/create-app.ts');
  const app = await createApp(config, deps);
  return {
    app,
    announcement: `Countersign is connected to your workspace. Health check: ${app.url}/healthz`,
  };
}

try {
  // The environment wins over the file.
  const envFile = readEnvFile();
  for (const [name, value] of Object.entries(envFile)) process.env[name] ??= value;
  const config = readConfig(process.env, { envFile });
  const log = createLog({ level: config.logLevel, secrets: secretValuesOf(config) });
  const clock = createSystemClock();
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'Unexpected error. The app exits.');
    process.exit(1);
  });
  const { app, announcement } = await start(config, { clock, log });
  // Handle signals before announcing the start: a reader of the announcement may send one at once.
  stopOnSignal(process, app, { clock, log });
  if (announcement !== undefined) console.log(announcement);
} catch (error) {
  printFailure(error);
  process.exit(1);
}
