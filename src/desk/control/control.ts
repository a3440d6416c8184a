/**
 * What people do with the work itself: stop, pause, resume, forget. Each command first checks the
 * person's rights.
 */

import type { Call } from '../../domain/calls/call.ts';
import { isSamePerson, type Person } from '../../domain/people/person.ts';
import { explainRefusedSender } from '../../domain/people/sender-policy.ts';
import { advanceTurnKey, renderCardKey, runCallKey, type Wake } from '../../domain/ports/agenda.ts';
import type { InboxMessage } from '../../domain/threads/message.ts';
import type { Pause } from '../../domain/threads/pause.ts';
import { depthOf, placeOf, type ThreadKey } from '../../domain/threads/thread-key.ts';
import type { DeskDeps } from '../deps.ts';
import { listQuarantined, type QuarantinedRecord } from '../worker/quarantine.ts';
import { explainForgetRefused } from './check-forget.ts';
import { forgetEffects } from './forget-effects.ts';
import { pauseEffects, readOpenCards, resumeEffects, routeChannelsOf } from './pause-effects.ts';
import {
  createDeny,
  createRequireAdmin,
  findProfileOrRefuse,
  isAdmin,
  type NotAllowed,
} from './require-admin.ts';
import { createStopTurn } from './stop-turn.ts';

export type StopOutcome =
  | { readonly kind: 'stopped'; readonly turns: number }
  /** The turn has ended, or the person has no turn there. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'already-stopped'; readonly by: Person }
  | NotAllowed;

export type PauseOutcome =
  | { readonly kind: 'paused' | 'already-paused'; readonly pause: Pause }
  | NotAllowed;

export type ResumeOutcome = { readonly kind: 'resumed' | 'not-paused' } | NotAllowed;

export type ForgetOutcome =
  | { readonly kind: 'forgotten'; readonly turns: number }
  | { readonly kind: 'unknown-thread' }
  | NotAllowed;

export type StatusOutcome =
  | {
      readonly kind: 'status';
      readonly pause: Pause | undefined;
      /** Turns in progress in the channel, without helpers. */
      readonly ongoing: readonly InboxMessage[];
      /** Damaged records; empty for non-admins. */
      readonly quarantined: readonly QuarantinedRecord[];
    }
  | NotAllowed;

interface InChannel {
  readonly team: string;
  readonly channel: string;
  readonly by: Person;
}

export interface Control {
  /** Stops one turn, identified by the id of its message. */
  stop(command: { readonly turn: string; readonly by: Person }): Promise<StopOutcome>;
  /**
   * Stops the turn that was in progress in a thread at a time (ms since 1970); a later turn is not
   * stopped.
   */
  stopAt(command: {
    readonly thread: ThreadKey;
    readonly at: number;
    readonly by: Person;
  }): Promise<StopOutcome>;
  /** Stops the person's turns in a channel; for admins, all turns. */
  stopAll(command: InChannel): Promise<StopOutcome>;
  /** Admins only: from now on nothing new runs anywhere. */
  pause(by: Person): Promise<PauseOutcome>;
  resume(by: Person): Promise<ResumeOutcome>;
  /** Clears the history of a thread's settled turns; a turn in progress is not affected. */
  forget(command: { readonly thread: ThreadKey; readonly by: Person }): Promise<ForgetOutcome>;
  status(command: InChannel): Promise<StatusOutcome>;
}

/** Creates the control commands. */
export function createControl(
  deps: Pick<
    DeskDeps,
    'store' | 'clock' | 'signals' | 'directory' | 'senderPolicy' | 'log' | 'graph'
  >,
): Control {
  const { store, clock, senderPolicy } = deps;
  const stopTurn = createStopTurn(deps);
  const deny = createDeny(deps);
  const requireAdmin = createRequireAdmin(deps);

  /** Admins may use the command anywhere; others only where they may talk to the agent. */
  async function checkSender({ channel, by }: InChannel, what: string) {
    const profile = await findProfileOrRefuse(deps, by);
    if ('kind' in profile) return profile;
    if (isAdmin(profile)) return { isAdmin: true };
    const refusal = explainRefusedSender(profile, by, channel, senderPolicy);
    return refusal ? await deny(by, what, refusal) : { isAdmin: false };
  }

  async function ongoingIn(team: string, channel: string): Promise<readonly InboxMessage[]> {
    return await store.inbox.ongoing({ team, channel });
  }

  /** The tasks that a pause has held up. */
  async function pausedWakes(): Promise<readonly Wake[]> {
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
  async function redrawNew(seen: readonly Call[]): Promise<void> {
    const known = new Set(seen.map(({ id }) => id));
    const late = (await readOpenCards(store)).filter(({ id }) => !known.has(id));
    await store.agenda.wake(late.map((call) => ({ key: renderCardKey(call), dueAt: clock.now() })));
  }

  /**
   * The turn that was in progress in a thread at a time, if it still is. Turns of a thread never
   * overlap.
   */
  async function currentAt(thread: ThreadKey, at: number): Promise<InboxMessage | undefined> {
    const [message, [ended]] = await Promise.all([
      store.inbox.current(thread),
      store.history.newest(thread, 1, 0),
    ]);
    const beganLater =
      message && (Number(message.ts) * 1_000 > at || (ended && ended.settledAt > at));
    return beganLater ? undefined : message;
  }

  async function stopOne(
    message: InboxMessage | undefined,
    place: InChannel,
    subject: string,
  ): Promise<StopOutcome> {
    const { by } = place;
    // People may always stop turns that they started.
    if (!message || !isSamePerson(message.author, by)) {
      const checked = await checkSender(place, subject);
      if ('kind' in checked) return checked;
    }
    if (!message) return { kind: 'nothing' };
    if (message.stopped) return { kind: 'already-stopped', by: message.stopped.by };
    return (await stopTurn(message, by)) ? { kind: 'stopped', turns: 1 } : { kind: 'nothing' };
  }

  return {
    async stop({ turn, by }) {
      const [team = '', channel = ''] = turn.split('/');
      const message = (await ongoingIn(team, channel)).find(({ id }) => id === turn);
      return await stopOne(message, { team, channel, by }, turn);
    },

    async stopAt({ thread, at, by }) {
      const { team, channel } = placeOf(thread);
      return await stopOne(await currentAt(thread, at), { team, channel, by }, thread);
    },

    async stopAll({ team, channel, by }) {
      const checked = await checkSender({ team, channel, by }, `${team}/${channel}`);
      if ('kind' in checked) return checked;
      const theirs = (await ongoingIn(team, channel)).filter(
        ({ thread, author }) =>
          depthOf(thread) === 0 && (checked.isAdmin || isSamePerson(author, by)),
      );
      let turns = 0;
      for (const message of theirs) if (await stopTurn(message, by)) turns += 1;
      return turns > 0 ? { kind: 'stopped', turns } : { kind: 'nothing' };
    },

    async pause(by) {
      const refused = await requireAdmin(by, 'pause');
      if (refused) return refused;
      const cards = await readOpenCards(store);
      const pause = { by, at: clock.now(), channels: routeChannelsOf(cards) };
      if (await store.pause.write(pause, pauseEffects(pause, cards))) {
        await redrawNew(cards);
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
      const wakes = [...(effects.wakes ?? []), ...(await pausedWakes())];
      if (!(await store.pause.write(undefined, { ...effects, wakes }))) {
        return { kind: 'not-paused' };
      }
      // Also wakes tasks that were held up between the read and the write.
      await store.agenda.wake(await pausedWakes());
      await redrawNew(cards);
      return { kind: 'resumed' };
    },

    async forget({ thread, by }) {
      const { team, channel } = placeOf(thread);
      const checked = await checkSender({ team, channel, by }, thread);
      if ('kind' in checked) return checked;
      if (!(await store.inbox.hasThread(thread))) return { kind: 'unknown-thread' };
      const why = await explainForgetRefused(store, thread, by, async () => checked.isAdmin);
      if (why !== undefined)
        return await deny(by, thread, { why: 'not to be forgotten', sentence: why });
      const now = clock.now();
      const effects = forgetEffects(thread, by, `${thread}#${now}`, now, deps.graph);
      return { kind: 'forgotten', turns: await store.history.clear(thread, effects) };
    },

    async status({ team, channel, by }) {
      const checked = await checkSender({ team, channel, by }, `${team}/${channel}`);
      if ('kind' in checked) return checked;
      const ongoing = await ongoingIn(team, channel);
      return {
        kind: 'status',
        pause: await store.pause.read(),
        ongoing: ongoing.filter(({ thread }) => depthOf(thread) === 0),
        quarantined: checked.isAdmin ? await listQuarantined(store) : [],
      };
    },
  };
}
