/** Installation-wide settings: pause, routes, pins and API keys; and drafts of what people type. */
import type { RecordLabel } from '../../domain/audit/damaged-record.ts';
import type { ApiKey } from '../../domain/people/api-key.ts';
import { type AdminRoutes, NO_ADMIN_ROUTES } from '../../domain/policy/admin-routes.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { Drafts } from '../../domain/ports/drafts.ts';
import type { Effects, Keys, PauseSwitch, Pins, RouteBook } from '../../domain/ports/store.ts';
import type { Pause } from '../../domain/threads/pause.ts';
import type { Pin } from '../../domain/tools/tool-pin.ts';
import { type IndexEntry, type Records, sortTime } from '../records.ts';
import { type CommitDraft, changeRecords } from './documents/change-records.ts';
import { applyEffects } from './documents/effects.ts';
import { parseDocument } from './documents/read-record.ts';
import { listRecords, type RecordKind, readOne } from './documents/read-records.ts';

function kindOf<T>(
  name: RecordLabel,
  entriesOf: (value: T) => readonly IndexEntry[] = () => [],
): RecordKind<T> {
  return {
    name,
    entriesOf,
    read: (document, id) => parseDocument<T>(document, { kind: name, id }),
  };
}

/** Id of a record that exists only once. */
const ONLY = 'only';
const PAUSE = kindOf<Pause>('pause');
const ROUTES = kindOf<AdminRoutes>('routes');
const PIN = kindOf<Pin>('pin', ({ name }) => [
  { partition: 'pin.all', sort: encodeURIComponent(name) },
]);
const KEY = kindOf<ApiKey>('key', ({ createdAt }) => [
  { partition: 'key.all', sort: sortTime(createdAt) },
]);

/** Writes a record with effects; false, without effects, if the stored one is not as expected. */
async function writeIf<T>(
  records: Records,
  { id, kind, value }: { readonly kind: RecordKind<T>; readonly id: string; readonly value: T },
  effects: Effects,
  isExpected: (before: T | undefined) => boolean,
): Promise<boolean> {
  return await changeRecords(records, async (draft) => {
    if (!isExpected(await draft.read(kind, id))) return false;
    await draft.put(kind, id, value);
    await applyEffects(draft, effects);
    return true;
  });
}

export function createPauseSwitch(records: Records): PauseSwitch {
  return {
    read: () => readOne(records, PAUSE, ONLY),
    async write(pause, effects) {
      return await changeRecords(records, async (draft) => {
        const isPaused = (await draft.read(PAUSE, ONLY)) !== undefined;
        if (isPaused === (pause !== undefined)) return false;
        await (pause ? draft.put(PAUSE, ONLY, pause) : draft.remove(PAUSE, ONLY));
        draft.tellAll();
        await applyEffects(draft, effects);
        return true;
      });
    },
  };
}

export function createRouteBook(records: Records): RouteBook {
  return {
    read: async () => (await readOne(records, ROUTES, ONLY)) ?? NO_ADMIN_ROUTES,
    write: (book, effects) =>
      writeIf(records, { kind: ROUTES, id: ONLY, value: book }, effects, (before) => {
        return (before?.revision ?? 0) === book.revision - 1;
      }),
  };
}

export function createPins(records: Records): Pins {
  return {
    async all() {
      const pins = await listRecords(records, PIN, 'pin.all');
      return [...pins].sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    write: (pin, before, effects) =>
      writeIf(records, { kind: PIN, id: pin.name, value: pin }, effects, (known) => {
        return known?.hash === before;
      }),
  };
}

export function createKeys(records: Records): Keys {
  return {
    add: (key, effects) =>
      writeIf(records, { kind: KEY, id: key.id, value: key }, effects, (before) => !before),
    get: (id) => readOne(records, KEY, id),
    list: () => listRecords(records, KEY, 'key.all'),
    change: (key, effects) =>
      writeIf(records, { kind: KEY, id: key.id, value: key }, effects, (before) => {
        return before?.revision === key.revision - 1;
      }),
  };
}

interface TypedText {
  readonly text: string;
  readonly until: number;
}

const TYPED: RecordKind<TypedText> = {
  name: 'typed',
  entriesOf: ({ until }) => [{ partition: 'typed.until', sort: sortTime(until) }],
  read: (document, id) => parseDocument<TypedText>(document, { kind: 'draft', id }),
};

/** Expired drafts removed per new one. */
const MAX_ENDED = 100;

export function createDrafts(records: Records, clock: Clock): Drafts {
  async function dropEnded(draft: CommitDraft, kept: string): Promise<void> {
    const page = { partition: 'typed.until', limit: MAX_ENDED };
    for (const { at, key } of await records.range(page)) {
      const id = key.slice(TYPED.name.length + 1);
      if (Number.parseInt(at, 10) <= clock.now() && id !== kept) await draft.remove(TYPED, id);
    }
  }
  return {
    async keep(id, text, until) {
      await changeRecords(records, async (draft) => {
        await dropEnded(draft, id);
        await draft.put(TYPED, id, { text, until });
      });
    },
    async read(id) {
      const found = await readOne(records, TYPED, id);
      return found && found.until > clock.now() ? found.text : undefined;
    },
    async drop(id) {
      await changeRecords(records, (draft) => draft.remove(TYPED, id));
    },
  };
}

const TRIED: RecordKind<{ readonly at: number }> = {
  name: 'tried',
  entriesOf: () => [],
  read: (document, id) => parseDocument(document, { kind: 'check', id }),
};

/** Rejects with the reason and a remedy if nothing can be written. */
export async function assertWritable(records: Records, now: number): Promise<void> {
  await changeRecords(records, (draft) => draft.put(TRIED, ONLY, { at: now }));
}
