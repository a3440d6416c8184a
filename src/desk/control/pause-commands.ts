import type { Call } from '../../domain/calls/call.ts';
import type { Person } from '../../domain/people/person.ts';
import { advanceTurnKey, renderCardKey, runCallKey, type Wake } from '../../domain/ports/agenda.ts';
import type { Pause } from '../../domain/threads/pause.ts';
import type { DeskDeps } from '../deps.ts';
import { pauseEffects, readOpenCards, resumeEffects, routeChannelsOf } from './pause-effects.ts';
import { createRequireAdmin, type NotAllowed } from './require-admin.ts';

export type PauseOutcome =
  | { readonly kind: 'paused' | 'already-paused'; readonly pause: Pause }
  | NotAllowed;

export type ResumeOutcome = { readonly kind: 'resumed' | 'not-paused' } | NotAllowed;

export interface PauseCommands {
  /** Admins only: from now on nothing new runs anywhere. */
  pause(by: Person): Promise<PauseOutcome>;
  resume(by: Person): Promise<ResumeOutcome>;
}

/** Creates the commands that pause and resume all work. */
export function createPauseCommands(
  deps: Pick<DeskDeps, 'store' | 'clock' | 'directory' | 'log'>,
): PauseCommands {
  const { store, clock } = deps;
  const requireAdmin = createRequireAdmin(deps);

  return {
    async pause(by) {
      const refused = await requireAdmin(by, 'pause');
      if (refused) return refused;
      const cards = await readOpenCards(store);
      const pause = { by, at: clock.now(), channels: routeChannelsOf(cards) };
      if (await store.pause.write(pause, pauseEffects(pause, cards))) {
        await redrawNew(deps, cards);
        return { kind: 'paused', pause };
      }
      return { kind: 'already-paused', pause: (await store.pause.read()) ?? pause };
    },

    async resume(by) {
      const refused = await requireAdmin(by, 'resume');
      if (refused) return refused;
      const pause = await store.pause.read();
      if (!pause) return { kind: 'not-paused' };
      const cards = await readOpenCards(store);
      const effects = resumeEffects(pause, by, clock.now(), cards);
      const wakes = [...(effects.wakes ?? []), ...(await pausedWakes(deps))];
      if (!(await store.pause.write(undefined, { ...effects, wakes }))) {
        return { kind: 'not-paused' };
      }
      // Also wakes tasks that were held up between the read and the write.
      await store.agenda.wake(await pausedWakes(deps));
      await redrawNew(deps, cards);
      return { kind: 'resumed' };
    },
  };
}

/** The tasks that a pause has held up. */
async function pausedWakes({
  store,
  clock,
}: Pick<DeskDeps, 'store' | 'clock'>): Promise<readonly Wake[]> {
  const now = clock.now();
  const threads = await store.inbox.threadsWithMessages();
  const approved = await store.ledger.withStatus('approved');
  // For workers that died during the pause; for running work this is only an extra check.
  const running = await store.ledger.withStatus('running');
  const calls = [...approved, ...running.filter(({ child }) => !child)];
  const keys = [...threads.map(advanceTurnKey), ...calls.map(runCallKey)];
  return keys.map((key) => ({ key, dueAt: now }));
}

/** Redraws cards that were posted between the read and the write. */
async function redrawNew(
  { store, clock }: Pick<DeskDeps, 'store' | 'clock'>,
  seen: readonly Call[],
): Promise<void> {
  const known = new Set(seen.map(({ id }) => id));
  const late = (await readOpenCards(store)).filter(({ id }) => !known.has(id));
  await store.agenda.wake(late.map((call) => ({ key: renderCardKey(call), dueAt: clock.now() })));
}
