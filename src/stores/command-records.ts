import type { InstallationKey } from '../domain/secrets/secret-mark.ts';
import type { OwnedRecords } from './owned-records.ts';
import type { Records } from './records.ts';

/** Record access of a CLI command; it leases nothing. */
export interface CommandRecords {
  readonly records: Records;
  readonly checkOwner: OwnedRecords['checkOwner'];
  readonly installationKey: InstallationKey;
  /** The installation's key; undefined if there is none. */
  key(): Promise<Uint8Array | undefined>;
  /** Where the key is expected, for messages. */
  readonly keyPlace: string;
  close(): Promise<void>;
}

/** The records can't be opened; the message says why and what to do. */
export class NoRecordsError extends Error {
  override readonly name = 'NoRecordsError';
}
