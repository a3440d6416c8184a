import type { InstallationKey } from '../domain/secret-mark.ts';
import type { Keys } from '../domain/store.ts';

/** The keys of an installation, opened beside its app. */
export interface KeysSource {
  readonly keys: Keys;
  /** Made where there is none yet. */
  readonly installationKey: InstallationKey;
  /** Counts the calls of a key that wait for people. */
  countPending(id: string): Promise<number>;
  close(): Promise<void>;
}

/** The keys can't be opened; the message says why, and what to do. */
export class NoKeysError extends Error {
  override readonly name = 'NoKeysError';
}
