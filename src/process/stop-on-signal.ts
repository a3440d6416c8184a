import type { Clock } from '../domain/ports/clock.ts';

/** What of a process is needed to end it. */
export interface Stoppable {
  on(signal: 'SIGINT' | 'SIGTERM', listener: () => void): unknown;
  exit(code: number): void;
}

/** One press of Ctrl-C arrives twice under npm: from the terminal, and passed on by npm. */
const SAME_PRESS_MS = 500;

/** However it hangs, a supervisor need not kill it. */
const LONGEST_STOP_MS = 29_500;

const CODES = { SIGINT: 130, SIGTERM: 143 } as const;

/** Stops the app at the first signal, and ends the process at once at a second one, or when it has not stopped within 30 s. */
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
    clock.schedule(clock.now() + LONGEST_STOP_MS, () => {
      log.error(
        {},
        'The app did not stop in time; what was under way is taken up at the next start.',
      );
      target.exit(1);
    });
    try {
      await app.stop();
      target.exit(0);
    } catch (error) {
      log.error({ err: error }, 'The app did not stop well.');
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
