/** Bugs that show in a power cut. */
import type { PlantedBug } from './bugs.ts';

const POWER_LOSS = 'test/crash/power-loss.test.ts';

export const POWER_BUGS: readonly PlantedBug[] = [
  {
    name: 'a promised commit that does not wait for the disk',
    edits: [
      {
        file: 'src/stores/sqlite/sqlite-records.ts',
        from: 'return group?.synced(writtenNames(commit));',
        to: 'return void group?.synced(writtenNames(commit));',
      },
    ],
    suite: POWER_LOSS,
    only: 'during commits',
    finds: /not ok .* a power cut during commits/,
  },
  {
    name: 'promised commits that are never taken to the disk, in the runs of the torture',
    edits: [
      {
        file: 'src/stores/sqlite/sqlite-records.ts',
        from: 'return group?.synced(writtenNames(commit));',
        to: 'return undefined;',
      },
    ],
    suite: POWER_LOSS,
    only: 'in each of',
    finds: /against: 'I[34]'/,
  },
  {
    name: 'a log that is written over before the database is on the disk',
    edits: [
      {
        file: 'src/stores/sqlite/open-database.ts',
        from: "setJournal(db, 'NORMAL');",
        to: "setJournal(db, 'OFF' as 'NORMAL');",
      },
    ],
    suite: POWER_LOSS,
    only: 'during commits',
    finds: /malformed|not ok .* a power cut during commits/,
  },
  {
    name: 'a look that does not wait for the disk',
    edits: [
      {
        file: 'src/stores/sqlite/sqlite-records.ts',
        from: '    await group?.syncOf([...names, ...namesIn(found)]);\n    return found;\n',
        to: '    return found;\n',
      },
    ],
    suite: 'test/stores/sqlite/sqlite-records.test.ts',
    only: 'once it is on the disk',
    finds: /not ok .* get, of what is new: answers/,
  },
  {
    name: 'a list that does not wait for what is gone from it',
    edits: [
      {
        file: 'src/stores/records.ts',
        from: '...(change.drop ?? [])',
        to: '...[]',
      },
    ],
    suite: 'test/stores/sqlite/sqlite-records.test.ts',
    only: 'once it is on the disk',
    finds: /not ok .* range, of what is gone: answers/,
  },
  {
    name: 'a list in memory that does not wait for the disk',
    edits: [
      {
        file: 'src/stores/holds/cached-reads.ts',
        from: '    if (known) await untilDurable(records, known, [page.partition]);\n',
        to: '',
      },
    ],
    suite: 'test/stores/holds/holds.test.ts',
    only: 'keeps in memory',
    finds: /not ok .* a list that a holder keeps in memory/,
  },
  {
    name: 'a record in memory that does not wait for the disk',
    edits: [
      {
        file: 'src/stores/holds/cached-reads.ts',
        from: '      untilDurable(records, kept),\n',
        to: '      undefined,\n',
      },
    ],
    suite: 'test/stores/holds/holds.test.ts',
    only: 'keeps in memory',
    finds: /not ok .* a record that a holder keeps in memory/,
  },
];
