import type { ThreadKey } from '../threads/thread-key.ts';

/** What a stored record is called in messages to people. */
export type RecordLabel =
  | 'call'
  | 'decision'
  | 'message'
  | 'say'
  | 'history'
  | 'thread'
  | 'turn'
  | 'place'
  | 'live'
  | 'bulletin'
  | 'report'
  | 'pause'
  | 'routes'
  | 'pin'
  | 'key'
  | 'draft'
  | 'groups'
  | 'task'
  | 'check';

/** Identifies one stored record. */
export interface RecordName {
  readonly kind: RecordLabel;
  readonly id: string;
  /** The thread it belongs to, if known. */
  readonly thread?: ThreadKey;
}

/** Thrown for a stored record that can't be read. Nothing may use it until it is restored. */
export class DamagedRecordError extends Error {
  override readonly name = 'DamagedRecordError';
  readonly record: RecordName;

  constructor(why: string, { record, cause }: { record: RecordName; cause?: unknown }) {
    super(
      `The stored ${describeRecordName(record)} cannot be read: ${why}. Restore it from a backup.`,
      {
        cause,
      },
    );
    this.record = record;
  }
}

/** Called for each damaged record. If a list leaves one out, this is the only notice. */
export type OnDamaged = (error: DamagedRecordError) => void;

/**
 * Makes a `catch` handler that replaces a damaged record by `instead` and rethrows other errors.
 */
export function recoverDamaged<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof DamagedRecordError) return instead;
    throw error;
  };
}

/** Names a record for people. */
export function describeRecordName({ kind, id }: Pick<RecordName, 'kind' | 'id'>): string {
  return id === '' ? kind : `${kind} ${id}`;
}

/** Encodes a record name as text; only the id may contain spaces. */
export function encodeRecordName({ kind, id, thread = '' as ThreadKey }: RecordName): string {
  return `${kind} ${thread} ${id}`;
}

/** Decodes what `encodeRecordName` wrote; undefined for anything else. */
export function decodeRecordName(text: string): RecordName | undefined {
  const [, kind, thread = '', id = ''] = /^([a-z]+) ([^ ]*) (.*)$/s.exec(text) ?? [];
  if (kind === undefined) return undefined;
  // An unknown kind comes from another version of the app; pass it on as it is.
  const name = { kind: kind as RecordLabel, id };
  return thread === '' ? name : { ...name, thread: thread as ThreadKey };
}
