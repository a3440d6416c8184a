import type { Call } from '../../../domain/calls/call.ts';
import { createLineWriter } from '../../../domain/cards/call-summary.ts';
import { renderCardKey } from '../../../domain/ports/agenda.ts';
import type { Tool } from '../../../domain/tools/tool.ts';
import type { DeskDeps } from '../../deps.ts';

const INTERVAL_MS = 1_000;
/**
 * Slack allows fewer message updates than one a second; later reports are drawn with the same
 * update.
 */
const REDRAW_DELAY_MS = 2_000;

/** Receives the progress reports of one run. */
export interface ProgressReporter {
  report(text: string): void;
  /** Ends the run: later reports are dropped. */
  end(): void;
}

/**
 * Builds the progress reporters of runs. Stores at most one masked line a second per call, always
 * including the last, and redraws the card. A report that can't be stored is dropped.
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

    function scheduleNext(): void {
      if (isBusy || isOver || next === undefined) return;
      isBusy = true;
      cancel = clock.schedule(freeAt, () => void storeNext());
    }

    async function storeNext(): Promise<void> {
      const now = clock.now();
      toLine ??= createLineWriter(call, tool);
      const text = toLine(next);
      next = undefined;
      freeAt = now + INTERVAL_MS;
      try {
        const wakes = [{ key: renderCardKey(call), dueAt: now + REDRAW_DELAY_MS }];
        if (text !== undefined) await store.reports.keep(call, { text, at: now }, wakes);
      } catch (error) {
        log.warn(
          { err: error, call: call.id },
          'Could not store a progress report of a running tool.',
        );
      }
      isBusy = false;
      scheduleNext();
    }

    return {
      report(text) {
        // A call without a route has no card.
        if (!call.route) return;
        next = text;
        scheduleNext();
      },
      end() {
        isOver = true;
        cancel();
      },
    };
  };
}
