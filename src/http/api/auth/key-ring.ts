import {
  type ApiKey,
  type KeyProblem,
  type KeyToken,
  keyProblem,
} from '../../../domain/people/api-key.ts';
import type { Cancel, Clock } from '../../../domain/ports/clock.ts';
import type { Log } from '../../../domain/ports/log.ts';
import type { Keys } from '../../../domain/ports/store.ts';

/** What a token opens: its key, or why none. */
export type KeyLookup =
  | { readonly kind: 'open'; readonly key: ApiKey }
  | { readonly kind: 'shut'; readonly why: KeyProblem };

/** The keys of programs as the API asks for them. */
export interface KeyRing {
  /** Reads the key in the store, or what was read of it within the last half second; rejects when the store can't tell. */
  open(token: KeyToken): Promise<KeyLookup>;
  /** Calls the listener once when the token has ceased to open its key, within a second. */
  watch(token: KeyToken, listener: () => void): Cancel;
}

/** With the second look, what was revoked is known within a second. */
const FRESH_MS = 400;
const LOOK_MS = 400;
/** More ids than programs have were made up. */
const MAX_KNOWN = 10_000;

interface Known {
  readonly readAt: number;
  readonly key: Promise<ApiKey | undefined>;
}

interface Watcher {
  readonly token: KeyToken;
  readonly listener: () => void;
}

/** Creates the ring; it looks at the store only while somebody asks or waits. */
export function createKeyRing({
  keys,
  clock,
  log,
}: {
  readonly keys: Pick<Keys, 'get'>;
  readonly clock: Clock;
  readonly log: Log;
}): KeyRing {
  const known = new Map<string, Known>();
  const watchers = new Set<Watcher>();
  let cancel: Cancel | undefined;

  function read(id: string): Promise<ApiKey | undefined> {
    const now = clock.now();
    const found = known.get(id);
    if (found && now - found.readAt < FRESH_MS && now >= found.readAt) return found.key;
    if (known.size >= MAX_KNOWN) known.clear();
    const key = keys.get(id);
    known.set(id, { readAt: now, key });
    // What failed is asked again; whoever asked hears of it.
    key.catch(() => known.delete(id));
    return key;
  }

  async function open(token: KeyToken): Promise<KeyLookup> {
    const key = await read(token.id);
    const why = key ? keyProblem(key, token.secret, clock.now()) : 'unknown';
    if (!key || why !== undefined) return { kind: 'shut', why: why ?? 'unknown' };
    return { kind: 'open', key };
  }

  async function refreshKeys(): Promise<void> {
    for (const watcher of [...watchers]) {
      const opened = await open(watcher.token);
      if (opened.kind === 'shut' && watchers.delete(watcher)) watcher.listener();
    }
  }

  function lookLater(): void {
    if (cancel !== undefined || watchers.size === 0) return;
    cancel = clock.schedule(clock.now() + LOOK_MS, () => {
      refreshKeys()
        .catch((error: unknown) => log.warn({ err: error }, 'The keys of programs were not read.'))
        .finally(() => {
          cancel = undefined;
          lookLater();
        });
    });
  }

  return {
    open,
    watch(token, listener) {
      const watcher = { token, listener };
      watchers.add(watcher);
      lookLater();
      return () => {
        watchers.delete(watcher);
        if (watchers.size > 0) return;
        cancel?.();
        cancel = undefined;
      };
    },
  };
}
