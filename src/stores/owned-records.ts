/**
 * Every stored document begins with its workspace, and its enterprise if it has one. Only this file
 * writes and removes them; readers get the document without.
 */
import {
  type Commit,
  newCommitId,
  type RecordChange,
  type RecordKey,
  type Records,
  type StoredRecord,
} from './records.ts';

/** Where the app is installed. */
export interface InstallationOwner {
  readonly workspace: string;
  /** The organization that the workspace belongs to, if any. */
  readonly enterprise?: string | undefined;
}

export interface OwnedRecords {
  readonly records: Records;
  /** Sets the owner, and completes records that were written before it was known. Rejects, with what to do, if they belong to another workspace. */
  belongTo(owner: InstallationOwner): Promise<void>;
  /** Rejects like `belongTo`, but writes nothing. */
  checkOwner(owner: InstallationOwner): Promise<void>;
}

/** Where the records are, and the setting that names it; for messages. */
export interface RecordsLocation {
  readonly where: string;
  readonly setting: string;
}

type Put = Extract<RecordChange, { readonly document: string }>;

/** The record that stores the owner, and nothing else. */
const OWNER_KEY: RecordKey = 'workspace/only';
const EMPTY = '{}';

/** Index entry of records that were written before the owner was known. */
const UNOWNED = { partition: 'workspace.unknown', sort: '0' };
/** Records completed per commit. */
const PAGE = 500;

const HEAD = /^\{"workspace":"([^"]*)"(?:,"enterprise":"([^"]*)")?,?/;

/** Wraps the records of an installation. */
export function createOwnedRecords(records: Records, location: RecordsLocation): OwnedRecords {
  let owner: InstallationOwner | undefined;

  function own(change: RecordChange): RecordChange {
    if (!isPut(change)) return change;
    const { workspace = owner?.workspace, ...put } = change;
    if (workspace === undefined) return { ...put, add: [...(put.add ?? []), UNOWNED] };
    return { ...put, document: addOwner(put, { workspace, enterprise: owner?.enterprise }) };
  }

  /** If the owner is unknown, the commit fails once the app has set one; the retry then knows it. */
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

  return {
    records: {
      ...records,
      commit,
      get: async (keys) => (await records.get(keys)).map(withoutOwner),
      range: async (page) => (await records.range(page)).map(withoutOwner),
    },
    async belongTo(wanted) {
      await keepOwner(records, location, wanted);
      await complete(records, wanted);
      owner = wanted;
    },
    async checkOwner(wanted) {
      const [stored] = await records.get([OWNER_KEY]);
      assertOwner(location, ownerOf(stored), wanted);
    },
  };
}

function assertOwner(
  { setting, where }: RecordsLocation,
  known: InstallationOwner | undefined,
  wanted: InstallationOwner,
): void {
  if (known === undefined || known.workspace === wanted.workspace) return;
  throw new Error(
    `${where} belongs to the workspace ${known.workspace}, but the app is now in ${wanted.workspace}. Threads, calls and keys of one workspace cannot be used in another. Start the app in ${known.workspace} again, or set another ${setting} to start empty.`,
  );
}

/** Stores the owner if there is none yet, or if the workspace joined an organization. */
async function keepOwner(
  records: Records,
  location: RecordsLocation,
  wanted: InstallationOwner,
): Promise<void> {
  for (;;) {
    const [stored] = await records.get([OWNER_KEY]);
    const known = ownerOf(stored);
    assertOwner(location, known, wanted);
    if (known && known.enterprise === wanted.enterprise) return;
    const put = { key: OWNER_KEY, replaces: stored?.revision ?? 0, document: EMPTY };
    const change = { ...put, document: addOwner(put, wanted) };
    const done = await records.commit({ id: newCommitId(), durable: 'now', records: [change] });
    if (done.kind === 'done') return;
  }
}

/** Adds the owner to the records that were written before it was known. */
async function complete(records: Records, wanted: InstallationOwner): Promise<void> {
  for (let after: string | undefined; ; ) {
    const page = await records.range({ partition: UNOWNED.partition, limit: PAGE, after });
    // Damaged or removed documents can't be completed.
    const changes = page
      .filter(({ document }) => document.startsWith('{'))
      .map(({ document, key, revision }): RecordChange => {
        const put = { key, replaces: revision, document: withoutOwner({ document }).document };
        return { ...put, document: addOwner(put, wanted), drop: [UNOWNED] };
      });
    if (changes.length > 0) {
      const done = await records.commit({ id: newCommitId(), durable: 'now', records: changes });
      // One of them was changed meanwhile: read the page again.
      if (done.kind !== 'done') continue;
    }
    if (page.length < PAGE) return;
    after = page.at(-1)?.at;
  }
}

function isPut(change: RecordChange): change is Put {
  return 'document' in change;
}

function addOwner(
  { document, key }: Pick<Put, 'document' | 'key'>,
  { enterprise, workspace }: InstallationOwner,
): string {
  if (!document.startsWith('{'))
    throw new TypeError(`The document of ${key} is not a JSON object.`);
  const head = JSON.stringify({ workspace, ...(enterprise !== undefined && { enterprise }) });
  return `${head.slice(0, -1)}${document === EMPTY ? '' : ','}${document.slice(1)}`;
}

/** A damaged document stays as it is; its reader reports it. */
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
