import type { Cancel, Clock } from '../../domain/ports/clock.ts';
import type { KeyRing } from './auth/key-ring.ts';
import type { ApiCaller } from './operation.ts';

/** Why a long poll ended without news. */
export type LongPollEnd = 'time' | 'closing' | 'gone' | 'unauthorized';

/** A waiting request. */
export interface LongPoll {
  /** Aborts when the wait ends; its reason is a `LongPollEnd`. */
  readonly signal: AbortSignal;
  /** Must be called once the request no longer waits. */
  release(): void;
}

/** Opens long polls, and ends all of them when the app stops. */
export interface LongPolls {
  open(request: {
    readonly caller: ApiCaller;
    /** Aborts when the client disconnects. */
    readonly gone: AbortSignal;
    /** (Default: until the caller's key or token becomes invalid.) */
    readonly ms?: number;
  }): LongPoll;
  /** Ends all long polls; later ones end at once. */
  close(): void;
}

/** Creates the long polls of one API. */
export function createLongPolls({
  clock,
  ring,
}: {
  readonly clock: Clock;
  readonly ring: Pick<KeyRing, 'watch'>;
}): LongPolls {
  const open = new Set<() => void>();
  let isClosing = false;

  /** A caller whose key or token becomes invalid gets no more news. */
  function watch(caller: ApiCaller, listener: () => void): Cancel {
    return caller.kind === 'key'
      ? ring.watch(caller.token, listener)
      : clock.schedule(caller.expiresAt, listener);
  }

  return {
    open({ caller, gone, ms }) {
      const ends = new AbortController();
      const end = (why: LongPollEnd) => () => ends.abort(why);
      const [onGone, onClosing] = [end('gone'), end('closing')];
      gone.addEventListener('abort', onGone);
      open.add(onClosing);
      const cancels = [
        watch(caller, end('unauthorized')),
        ...(ms === undefined ? [] : [clock.schedule(clock.now() + ms, end('time'))]),
      ];
      if (gone.aborted) onGone();
      if (isClosing) onClosing();
      return {
        signal: ends.signal,
        release() {
          gone.removeEventListener('abort', onGone);
          open.delete(onClosing);
          for (const cancel of cancels) cancel();
        },
      };
    },
    close() {
      isClosing = true;
      for (const onClosing of [...open]) onClosing();
    },
  };
}
