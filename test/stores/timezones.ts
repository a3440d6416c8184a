/** A kind of record that the app does not have: the time zones of people. This file is all that it needs. */
import type { RecordLabel } from '../../src/domain/audit/damaged-record.ts';
import type { Person } from '../../src/domain/people/person.ts';
import type { Records } from '../../src/stores/records.ts';
import { changeRecords } from '../../src/stores/repositories/documents/change-records.ts';
import { parseDocument } from '../../src/stores/repositories/documents/read-record.ts';
import {
  listRecords,
  type RecordKind,
  readOne,
} from '../../src/stores/repositories/documents/read-records.ts';

export interface Timezone {
  /** `team/user`. */
  readonly who: string;
  /** Its IANA name, e.g. `Europe/Berlin`. */
  readonly zone: string;
  readonly revision: number;
}

export interface Timezones {
  of(person: Person): Promise<Timezone | undefined>;
  /** Stores a later revision; false if it does not follow the stored one. */
  keep(timezone: Timezone): Promise<boolean>;
  /** Removes it; false if there is none. */
  forget(person: Person): Promise<boolean>;
  /** All people in a zone, in the order of their names. */
  livingIn(zone: string): Promise<readonly string[]>;
}

/** A kind of the app has its label in `RecordLabel`. */
const LABEL = 'timezone' as RecordLabel;

const TIMEZONE: RecordKind<Timezone> = {
  name: 'timezone',
  entriesOf: ({ who, zone }) => [{ partition: `timezone.zone|${zone}`, sort: who }],
  read: (document, id) => parseDocument(document, { kind: LABEL, id }),
};

const nameOf = ({ team, user }: Person): string => `${team}/${user}`;

/** Creates the repository of time zones. */
export function createTimezones(records: Records): Timezones {
  return {
    of: (person) => readOne(records, TIMEZONE, nameOf(person)),
    async keep(timezone) {
      return await changeRecords(records, async (draft) => {
        const stored = await draft.read(TIMEZONE, timezone.who);
        if ((stored?.revision ?? 0) !== timezone.revision - 1) return false;
        await draft.put(TIMEZONE, timezone.who, timezone);
        return true;
      });
    },
    async forget(person) {
      return await changeRecords(records, async (draft) => {
        if (!(await draft.read(TIMEZONE, nameOf(person)))) return false;
        await draft.remove(TIMEZONE, nameOf(person));
        return true;
      });
    },
    async livingIn(zone) {
      const found = await listRecords(records, TIMEZONE, `timezone.zone|${zone}`);
      return found.map(({ who }) => who);
    },
  };
}
