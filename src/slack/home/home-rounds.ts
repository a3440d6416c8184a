import type { Cancel, Clock } from '../../domain/ports/clock.ts';
import type { createHomeViewers, HomeViewer } from './home-viewers.ts';

/** Changes within this time are shown together. */
const BATCH_MS = 2_000;
const ROUND_MS = 15_000;
/**
 * Slack allows about a hundred per minute in total:
 * https://docs.slack.dev/reference/methods/views.publish
 */
const MAX_PER_ROUND = 20;

/** Creates the rounds that refresh the changed Homes of recent viewers. */
export function createHomeRounds({
  clock,
  viewers,
  refresh,
}: {
  readonly clock: Clock;
  readonly viewers: ReturnType<typeof createHomeViewers>;
  readonly refresh: (viewer: HomeViewer) => Promise<void>;
}) {
  let cancel: Cancel | undefined;
  let currentRound: Promise<void> | undefined;
  let notBefore = 0;
  let isStopped = false;

  /** The first change waits a moment; later ones wait for the next round. */
  function schedule(): void {
    if (isStopped || cancel !== undefined || currentRound !== undefined) return;
    cancel = clock.schedule(Math.max(clock.now() + BATCH_MS, notBefore), () => {
      cancel = undefined;
      currentRound = runRound().finally(() => {
        currentRound = undefined;
        if (viewers.all().some(({ isDirty }) => isDirty)) schedule();
      });
    });
  }

  async function runRound(): Promise<void> {
    const dirty = viewers.active().filter(({ isDirty }) => isDirty);
    notBefore = clock.now() + ROUND_MS;
    dirty.sort((a, b) => a.readAt - b.readAt);
    for (const viewer of dirty.slice(0, MAX_PER_ROUND)) {
      if (isStopped) return;
      await refresh(viewer);
    }
  }

  return {
    schedule,
    /** Starts no round within this time. */
    postpone(ms: number): void {
      notBefore = Math.max(notBefore, clock.now() + ms);
    },
    /** Schedules a refresh for all recent viewers. */
    nudge(): void {
      const active = viewers.active();
      for (const viewer of active) viewer.isDirty = true;
      if (active.length > 0) schedule();
    },
    async stop(): Promise<void> {
      isStopped = true;
      cancel?.();
      await currentRound;
    },
  };
}
