import type { Clock } from '../domain/ports/clock.ts';

/** The part of a process that is needed to end it. */
export interface Stoppable {
  on(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
  exit(code: number): void;
}

/** Under npm one Ctrl-C arrives twice: from the terminal and forwarded by npm. */
const SAME_PRESS_MS = 500;

/** Exits before the usual 30 s after which a supervisor kills the process. */
const MAX_STOP_MS = 29_500;

const CODES = { SIGINT: 130, SIGTERM: 143 } as const;

/**
 * Stops the app at the first signal. Exits at once at the second signal, or if stopping takes
 * longer than 29.5 s.
 */
export function stopOnSignal(
  target: Stoppable,
  app: { stop(): Promise<void> },
  {
    clock,
    log,
  }: {
    readonly clock: Clock;
    readonly log: {
      info(message: string): void;
      error(fields: object, message: string): void;
    };
  },
): void {
  let firstAt: number | undefined;

  async function stop(): Promise<void> {
    log.info('Stopping. A second signal ends the process at once.');
    clock.schedule(clock.now() + MAX_STOP_MS, () => {
      log.error({}, 'The app did not stop in time. Unfinished work resumes at the next start.');
      target.exit(1);
    });
    try {
      await app.stop();
      target.exit(0);
    } catch (error) {
      log.error({ err: error }, 'The app did not stop cleanly.');
      target.exit(1);
    }
  }

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    target.on(signal, () => {
      if (firstAt === undefined) {
        firstAt = clock.now();
        void stop();
      } else if (clock.now() - firstAt >= SAME_PRESS_MS) target.exit(CODES[signal]);
    });
  }
}
