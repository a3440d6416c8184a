import type { Cancel, Clock } from '../../domain/ports/clock.ts';
import type { KeyRing } from './auth/key-ring.ts';
import type { ApiCaller } from './operation.ts';

/** Why a wait is over, other than for news. */
export type LongPollEnd = 'time' | 'closing' | 'gone' | 'shut-out';

/** A request that waits. */
export interface LongPoll {
  /** Aborts when the wait is over; its reason is a `WaitEnd`. */
  readonly signal: AbortSignal;
  /** To be called when nobody waits any more. */
  release(): void;
}

/** Opens waits, and ends all of them when the app stops. */
export interface LongPolls {
  open(request: {
    readonly visitor: ApiCaller;
    /** Aborts when the client has gone. */
    readonly gone: AbortSignal;
    /** (Default: for as long as the visitor is let in.) */
    readonly ms?: number;
  }): LongPoll;
  /** Ends all waits, and those that are opened later at once. */
  close(): void;
}

/** Creates the waits of one API. */
export function createLongPolls({
  clock,
  ring,
}: {
  readonly clock: Clock;
  readonly ring: Pick<KeyRing, 'watch'>;
}): LongPolls {
  const open = new Set<() => void>();
  let isClosing = false;

  /** Whoever is not let in any more hears nothing more. */
  function watch(visitor: ApiCaller, listener: () => void): Cancel {
    return visitor.kind === 'key'
      ? ring.watch(visitor.token, listener)
      : clock.schedule(visitor.expiresAt, listener);
  }

  return {
    open({ visitor, gone, ms }) {
      const ends = new AbortController();
      const end = (why: LongPollEnd) => () => ends.abort(why);
      const [onGone, onClosing] = [end('gone'), end('closing')];
      gone.addEventListener('abort', onGone);
      open.add(onClosing);
      const cancels = [
        watch(visitor, end('shut-out')),
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
