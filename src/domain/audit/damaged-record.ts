import type { ThreadKey } from '../threads/thread-key.ts';

/** What the app stores, by the name under which people are told of it. */
export type RecordKind =
  | 'call'
  | 'message'
  | 'say'
  | 'history'
  | 'turn'
  | 'place'
  | 'live'
  | 'bulletin'
  | 'report'
  | 'pause'
  | 'routes'
  | 'pin'
  | 'key';

/** Names one stored record. */
export interface RecordName {
  readonly kind: RecordKind;
  readonly id: string;
  /** The thread that it belongs to, as far as that is known. */
  readonly thread?: ThreadKey;
}

/** A stored record can't be understood: nothing may be done with it until somebody has restored it. */
export class DamagedRecordError extends Error {
  override readonly name = 'DamagedRecordError';
  readonly record: RecordName;

  constructor(why: string, { record, cause }: { record: RecordName; cause?: unknown }) {
    super(
      `The stored ${describeRecordName(record)} can not be read: ${why}. Restore it from a backup.`,
      {
        cause,
      },
    );
    this.record = record;
  }
}

/** Hears of a record that was found damaged; where it was left out of a list, nobody else does. */
export type OnDamaged = (error: DamagedRecordError) => void;

/** Makes a `catch` that answers with something else in place of a damaged record, and throws any other error. */
export function recoverDamaged<T>(instead: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof DamagedRecordError) return instead;
    throw error;
  };
}

/** Names a record as people read it. */
export function describeRecordName({ kind, id }: Pick<RecordName, 'kind' | 'id'>): string {
  return id === '' ? kind : `${kind} ${id}`;
}

/** Writes a record's name as one text; only the id may hold a blank. */
export function encodeRecordName({ kind, id, thread = '' as ThreadKey }: RecordName): string {
  return `${kind} ${thread} ${id}`;
}

/** Reads what `encodeRecordName` wrote; undefined for anything else. */
export function decodeRecordName(text: string): RecordName | undefined {
  const [, kind, thread = '', id = ''] = /^([a-z]+) ([^ ]*) (.*)$/s.exec(text) ?? [];
  if (kind === undefined) return undefined;
  // It was written by this app, perhaps by another version: an unknown kind is one that can't be read.
  const name = { kind: kind as RecordKind, id };
  return thread === '' ? name : { ...name, thread: thread as ThreadKey };
}
