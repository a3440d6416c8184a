import type { Call } from '../../../domain/calls/call.ts';
import { createLineWriter } from '../../../domain/cards/call-summary.ts';
import { renderCardKey } from '../../../domain/ports/agenda.ts';
import type { Tool } from '../../../domain/tools/tool.ts';
import type { DeskDeps } from '../../deps.ts';

const EVERY_MS = 1_000;
/** Slack takes fewer updates of a message than that; what is said meanwhile is drawn with it. */
const DRAWN_AFTER_MS = 2_000;

/** Takes what the tool of one run says of how it goes. */
export interface ProgressReporter {
  report(text: string): void;
  /** The run is over: nothing is kept any more. */
  end(): void;
}

/**
 * Builds the reporters of runs: at most one line a second is stored for a call, the last one always,
 * without the call's secrets, and its card is drawn again. What can't be stored is lost.
 */
export function createProgressReporters({
  store,
  clock,
  log,
}: Pick<DeskDeps, 'store' | 'clock' | 'log'>) {
  return function reporterOf(call: Call, tool: Tool): ProgressReporter {
    let toLine: ReturnType<typeof createLineWriter> | undefined;
    let next: string | undefined;
    let isBusy = false;
    let freeAt = clock.now();
    let isOver = false;
    let cancel = () => {};

    function arm(): void {
      if (isBusy || isOver || next === undefined) return;
      isBusy = true;
      cancel = clock.schedule(freeAt, () => void keepNext());
    }

    async function keepNext(): Promise<void> {
      const now = clock.now();
      toLine ??= createLineWriter(call, tool);
      const text = toLine(next);
      next = undefined;
      freeAt = now + EVERY_MS;
      try {
        const wakes = [{ key: renderCardKey(call), dueAt: now + DRAWN_AFTER_MS }];
        if (text !== undefined) await store.reports.keep(call, { text, at: now }, wakes);
      } catch (error) {
        log.warn({ err: error, call: call.id }, 'A report of a running tool was not stored.');
      }
      isBusy = false;
      arm();
    }

    return {
      report(text) {
        // Nobody sees what a run says that nobody was asked about.
        if (!call.route) return;
        next = text;
        arm();
      },
      end() {
        isOver = true;
        cancel();
      },
    };
  };
}
