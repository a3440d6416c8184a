import { z } from 'zod';
import type { AuditLine } from '../domain/audit-check.ts';

/** What is told of the call that an entry is about; never its arguments. */
const AuditCallDocument = z.looseObject({
  tool: z.string(),
  thread: z.string(),
  summary: z.string().optional(),
  server: z.string().optional(),
  outside: z.looseObject({ by: z.enum(['key', 'graph', 'server']), name: z.string() }).optional(),
  requester: z.looseObject({ user: z.string() }),
  route: z.looseObject({ approvers: z.array(z.string()) }).optional(),
});
export type AuditCall = z.output<typeof AuditCallDocument>;

/** Reads the stored documents of calls, by their ids; those that can't be understood are left out. */
export function readAuditCalls(
  documents: readonly (readonly [id: string, document: string])[],
): ReadonlyMap<string, AuditCall> {
  return new Map(
    documents.flatMap(([id, document]) => {
      const call = readAuditCall(document);
      return call ? [[id, call] as const] : [];
    }),
  );
}

function readAuditCall(document: string): AuditCall | undefined {
  try {
    return AuditCallDocument.safeParse(JSON.parse(document)).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** The audit of an installation, opened to be read while the app may be at work on it. */
export interface AuditSource {
  /** All entries, oldest first, in pages. */
  pages(): AsyncIterable<readonly AuditLine[]>;
  /** The calls of these ids, as they are stored now; those that are gone, or damaged, are left out. */
  callsOf(ids: readonly string[]): Promise<ReadonlyMap<string, AuditCall>>;
  /** The number of the entry that was appended last, as it is remembered apart from the entries. */
  newest(): Promise<number>;
  /** The installation's key; undefined when there is none. */
  key(): Promise<Uint8Array | undefined>;
  /** Where the key should be, for people. */
  readonly keyPlace: string;
  close(): Promise<void>;
}

/** There is no audit to be read; the message says why and what to do. */
export class NoAuditError extends Error {
  override readonly name = 'NoAuditError';
}

/** How many entries are read at a time. */
export const PAGE = 1_000;

/** Reads the JSON text of an entry, or of a part of it. */
export function readAuditLine(seq: number, read: () => unknown): AuditLine {
  try {
    const entry = read();
    if (isEntry(entry)) return { kind: 'entry', entry };
    return { kind: 'unreadable', seq, why: 'It has not the parts of an entry.' };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { kind: 'unreadable', seq, why };
  }
}

type Entry = Extract<AuditLine, { kind: 'entry' }>['entry'];

function isEntry(value: unknown): value is Entry {
  if (typeof value !== 'object' || value === null) return false;
  const { seq, at, event, subject, actor, detail, previous, hash } = value as Partial<Entry>;
  const texts = [event, subject, actor, previous, hash];
  return (
    typeof seq === 'number' &&
    typeof at === 'number' &&
    texts.every((text) => typeof text === 'string') &&
    typeof detail === 'object' &&
    detail !== null
  );
}
