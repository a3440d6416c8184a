import {
  type ApiKey,
  type KeyProblem,
  type KeyToken,
  keyProblem,
} from '../../../domain/people/api-key.ts';
import type { Cancel, Clock } from '../../../domain/ports/clock.ts';
import type { Log } from '../../../domain/ports/log.ts';
import type { Keys } from '../../../domain/ports/store.ts';

/** The key of a token, or why the token is rejected. */
export type KeyLookup =
  | { readonly kind: 'valid'; readonly key: ApiKey }
  | { readonly kind: 'invalid'; readonly why: KeyProblem };

/** Looks up API keys, with a short cache. */
export interface KeyRing {
  /** Returns the key; a cached one is at most 400 ms old. Rejects if the store can't be read. */
  open(token: KeyToken): Promise<KeyLookup>;
  /** Calls the listener once, within a second, after the token has become invalid. */
  watch(token: KeyToken, listener: () => void): Cancel;
}

/** Together with `REFRESH_MS` this bounds the delay of a revocation to one second. */
const FRESH_MS = 400;
const REFRESH_MS = 400;
/** Cached ids. An overflow means that most of them are made up: the cache is cleared. */
const MAX_KNOWN = 10_000;

interface Known {
  readonly readAt: number;
  readonly key: Promise<ApiKey | undefined>;
}

interface Watcher {
  readonly token: KeyToken;
  readonly listener: () => void;
}

function createKeyCache(keys: Pick<Keys, 'get'>, clock: Clock) {
  const known = new Map<string, Known>();
  return (id: string): Promise<ApiKey | undefined> => {
    const now = clock.now();
    const found = known.get(id);
    if (found && now - found.readAt < FRESH_MS && now >= found.readAt) return found.key;
    if (known.size >= MAX_KNOWN) known.clear();
    const key = keys.get(id);
    known.set(id, { readAt: now, key });
    // A failed read is not cached.
    key.catch(() => known.delete(id));
    return key;
  };
}

/** Creates the key ring; it reads the store only while there are requests or watchers. */
export function createKeyRing({
  keys,
  clock,
  log,
}: {
  readonly keys: Pick<Keys, 'get'>;
  readonly clock: Clock;
  readonly log: Log;
}): KeyRing {
  const read = createKeyCache(keys, clock);
  const watchers = new Set<Watcher>();
  let cancel: Cancel | undefined;

  async function open(token: KeyToken): Promise<KeyLookup> {
    const key = await read(token.id);
    const why = key ? keyProblem(key, token.secret, clock.now()) : 'unknown';
    if (!key || why !== undefined) return { kind: 'invalid', why: why ?? 'unknown' };
    return { kind: 'valid', key };
  }

  async function refreshKeys(): Promise<void> {
    for (const watcher of [...watchers]) {
      const opened = await open(watcher.token);
      if (opened.kind === 'invalid' && watchers.delete(watcher)) watcher.listener();
    }
  }

  function scheduleRefresh(): void {
    if (cancel !== undefined || watchers.size === 0) return;
    cancel = clock.schedule(clock.now() + REFRESH_MS, () => {
      refreshKeys()
        .catch((error: unknown) => log.warn({ err: error }, 'The API keys could not be read.'))
        .finally(() => {
          cancel = undefined;
          scheduleRefresh();
        });
    });
  }

  return {
    open,
    watch(token, listener) {
      const watcher = { token, listener };
      watchers.add(watcher);
      scheduleRefresh();
      return () => {
        watchers.delete(watcher);
        if (watchers.size > 0) return;
        cancel?.();
        cancel = undefined;
      };
    },
  };
}
