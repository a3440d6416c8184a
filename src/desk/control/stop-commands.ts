import { isSamePerson, type Person } from '../../domain/people/person.ts';
import type { Store } from '../../domain/ports/store.ts';
import type { InboxMessage } from '../../domain/threads/message.ts';
import { depthOf, placeOf, type ThreadKey } from '../../domain/threads/thread-key.ts';
import type { DeskDeps } from '../deps.ts';
import { createRequireSender, type InChannel, type NotAllowed } from './require-admin.ts';
import { createStopTurn } from './stop-turn.ts';

export type StopOutcome =
  | { readonly kind: 'stopped'; readonly turns: number }
  /** The turn has ended, or the person has no turn there. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'already-stopped'; readonly by: Person }
  | NotAllowed;

export interface StopCommands {
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
}

/** Creates the commands that stop turns. */
export function createStopCommands(
  deps: Pick<DeskDeps, 'store' | 'clock' | 'signals' | 'directory' | 'senderPolicy' | 'log'>,
): StopCommands {
  const { inbox } = deps.store;
  const stopTurn = createStopTurn(deps);
  const requireSender = createRequireSender(deps);

  async function stopOne(
    message: InboxMessage | undefined,
    place: InChannel,
    subject: string,
  ): Promise<StopOutcome> {
    const { by } = place;
    // People may always stop turns that they started.
    if (!message || !isSamePerson(message.author, by)) {
      const checked = await requireSender(place, subject);
      if ('kind' in checked) return checked;
    }
    if (!message) return { kind: 'nothing' };
    if (message.stopped) return { kind: 'already-stopped', by: message.stopped.by };
    return (await stopTurn(message, by)) ? { kind: 'stopped', turns: 1 } : { kind: 'nothing' };
  }

  return {
    async stop({ turn, by }) {
      const [team = '', channel = ''] = turn.split('/');
      const message = (await inbox.ongoing({ team, channel })).find(({ id }) => id === turn);
      return await stopOne(message, { team, channel, by }, turn);
    },

    async stopAt({ thread, at, by }) {
      const { team, channel } = placeOf(thread);
      return await stopOne(await currentAt(deps.store, thread, at), { team, channel, by }, thread);
    },

    async stopAll({ team, channel, by }) {
      const checked = await requireSender({ team, channel, by }, `${team}/${channel}`);
      if ('kind' in checked) return checked;
      const theirs = (await inbox.ongoing({ team, channel })).filter(
        ({ thread, author }) =>
          depthOf(thread) === 0 && (checked.isAdmin || isSamePerson(author, by)),
      );
      let turns = 0;
      for (const message of theirs) if (await stopTurn(message, by)) turns += 1;
      return turns > 0 ? { kind: 'stopped', turns } : { kind: 'nothing' };
    },
  };
}

/**
 * The turn that was in progress in a thread at a time, if it still is. Turns of a thread never
 * overlap.
 */
async function currentAt(
  { inbox, history }: Pick<Store, 'inbox' | 'history'>,
  thread: ThreadKey,
  at: number,
): Promise<InboxMessage | undefined> {
  const [message, [ended]] = await Promise.all([
    inbox.current(thread),
    history.newest(thread, 1, 0),
  ]);
  const beganLater =
    message && (Number(message.ts) * 1_000 > at || (ended && ended.settledAt > at));
  return beganLater ? undefined : message;
}
