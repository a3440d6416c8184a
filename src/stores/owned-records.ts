/**
 * Every stored document begins with the workspace that it belongs to, and the enterprise where there
 * is one. Both are written and taken away here and nowhere else: readers get the document without.
 */
import { randomBytes } from 'node:crypto';
import type { Commit, RecordChange, RecordKey, Records, StoredRecord } from './records.ts';

/** Where the app is installed. */
export interface InstallationOwner {
  readonly workspace: string;
  /** The organization that the workspace is part of, if it is. */
  readonly enterprise?: string | undefined;
}

export interface OwnedRecords {
  readonly records: Records;
  /** Sets the owner of the records, and completes those that were written before it was known. Rejects, saying what to do, where they belong to another workspace. */
  belongTo(owner: InstallationOwner): Promise<void>;
  /** Rejects as that does, and writes nothing. */
  checkOwner(owner: InstallationOwner): Promise<void>;
}

/** Where the records are, for people, and the variable that names it. */
export interface RecordsLocation {
  readonly where: string;
  readonly setting: string;
}

type Put = Extract<RecordChange, { readonly document: string }>;

/** The record that keeps the owner: like all others, it begins with it, and it holds nothing else. */
const OWNER_KEY: RecordKey = 'workspace/only';
const EMPTY = '{}';

/** Where a record is found that was written before the owner was known. */
const UNOWNED = { partition: 'workspace.unknown', sort: '0' };
/** How many of them are completed in one commit. */
const PAGE = 500;

const HEAD = /^\{"workspace":"([^"]*)"(?:,"enterprise":"([^"]*)")?,?/;

/** Wraps the records of an installation. */
export function createOwnedRecords(
  records: Records,
  { setting, where }: RecordsLocation,
): OwnedRecords {
  let owner: InstallationOwner | undefined;

  function own(change: RecordChange): RecordChange {
    if (!isPut(change)) return change;
    const { workspace = owner?.workspace, ...put } = change;
    if (workspace === undefined) return { ...put, add: [...(put.add ?? []), UNOWNED] };
    return { ...put, document: addOwner(put, { workspace, enterprise: owner?.enterprise }) };
  }

  /** Without an owner, the commit fails if the app has set one meanwhile: then it is known. */
  function ownAll(changes: readonly RecordChange[]): readonly RecordChange[] {
    const owned = changes.map(own);
    const isUnowned = owner === undefined && changes.some(isPut);
    return isUnowned ? [...owned, { key: OWNER_KEY, expects: 0 }] : owned;
  }

  async function commit(given: Commit, onWritten?: () => void) {
    const changes = given.records;
    const owned = changes ? { ...given, records: ownAll(changes) } : given;
    const done = await records.commit(owned, onWritten);
    if (done.kind !== 'conflict') return done;
    owner ??= ownerOf(done.newer.find(({ key }) => key === OWNER_KEY));
    return { ...done, newer: done.newer.map(withoutOwner) };
  }

  function assertOwner(known: InstallationOwner | undefined, wanted: InstallationOwner): void {
    if (known === undefined || known.workspace === wanted.workspace) return;
    throw new Error(
      `${where} belongs to the workspace ${known.workspace}, but the app is now in ${wanted.workspace}. Threads, calls and keys of one workspace cannot be used in another. Start the app in ${known.workspace} again, or set another ${setting} to start with nothing.`,
    );
  }

  /** Writes the owner where there is none yet, or where the workspace has joined an organization. */
  async function keepOwner(wanted: InstallationOwner): Promise<void> {
    for (;;) {
      const [stored] = await records.get([OWNER_KEY]);
      const known = ownerOf(stored);
      assertOwner(known, wanted);
      if (known && known.enterprise === wanted.enterprise) return;
      const put = { key: OWNER_KEY, replaces: stored?.revision ?? 0, document: EMPTY };
      const change = { ...put, document: addOwner(put, wanted) };
      const done = await records.commit({ id: newId(), durable: 'now', records: [change] });
      if (done.kind === 'done') return;
    }
  }

  async function complete(wanted: InstallationOwner): Promise<void> {
    for (let after: string | undefined; ; ) {
      const page = await records.range({ partition: UNOWNED.partition, limit: PAGE, after });
      // What is damaged, or was removed meanwhile, has no beginning.
      const changes = page
        .filter(({ document }) => document.startsWith('{'))
        .map(({ document, key, revision }): RecordChange => {
          const put = { key, replaces: revision, document: withoutOwner({ document }).document };
          return { ...put, document: addOwner(put, wanted), drop: [UNOWNED] };
        });
      if (changes.length > 0) {
        const done = await records.commit({ id: newId(), durable: 'now', records: changes });
        // Somebody has changed one of them, or completed it: they are read again.
        if (done.kind !== 'done') continue;
      }
      if (page.length < PAGE) return;
      after = page.at(-1)?.at;
    }
  }

  return {
    records: {
      ...records,
      commit,
      get: async (keys) => (await records.get(keys)).map(withoutOwner),
      range: async (page) => (await records.range(page)).map(withoutOwner),
    },
    async belongTo(wanted) {
      await keepOwner(wanted);
      await complete(wanted);
      owner = wanted;
    },
    async checkOwner(wanted) {
      const [stored] = await records.get([OWNER_KEY]);
      assertOwner(ownerOf(stored), wanted);
    },
  };
}

function isPut(change: RecordChange): change is Put {
  return 'document' in change;
}

function addOwner(
  { document, key }: Pick<Put, 'document' | 'key'>,
  { enterprise, workspace }: InstallationOwner,
): string {
  if (!document.startsWith('{')) throw new TypeError(`The document of ${key} is no JSON object.`);
  const head = JSON.stringify({ workspace, ...(enterprise !== undefined && { enterprise }) });
  return `${head.slice(0, -1)}${document === EMPTY ? '' : ','}${document.slice(1)}`;
}

/** What is damaged stays so: it is for its reader to say. */
function withoutOwner<T extends Pick<StoredRecord, 'document'>>(record: T): T {
  const head = HEAD.exec(record.document);
  return head ? { ...record, document: `{${record.document.slice(head[0].length)}` } : record;
}

function ownerOf(record: StoredRecord | undefined): InstallationOwner | undefined {
  const [, workspace, enterprise] = HEAD.exec(record?.document ?? '') ?? [];
  return workspace === undefined
    ? undefined
    : { workspace, ...(enterprise !== undefined && { enterprise }) };
}

function newId(): string {
  return randomBytes(12).toString('base64url');
}
