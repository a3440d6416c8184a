/** Bugs that show when the power is cut. */
import type { PlantedBug } from './bugs.ts';

const POWER_LOSS = 'test/crash/power-loss.test.ts';

export const POWER_BUGS: readonly PlantedBug[] = [
  {
    name: 'a promised commit that does not wait for the disk',
    edits: [
      {
        file: 'src/stores/records/sqlite-records.ts',
        from: "if (commit.durable === 'now') await group?.synced();",
        to: "if (commit.durable === 'now') void group?.synced();",
      },
    ],
    suite: POWER_LOSS,
    only: 'amid commits',
    finds: /not ok .* a power cut amid commits/,
  },
  {
    name: 'promised commits that are never taken to the disk, in the runs of the torture',
    edits: [
      {
        file: 'src/stores/records/sqlite-records.ts',
        from: "      if (commit.durable === 'now') await group?.synced();\n",
        to: '',
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
    only: 'amid commits',
    finds: /malformed|not ok .* a power cut amid commits/,
  },
  {
    name: 'a look that does not wait for the disk',
    edits: [
      {
        file: 'src/stores/records/sqlite-records.ts',
        from: '    await group?.settled();\n    return found;\n',
        to: '    return found;\n',
      },
    ],
    suite: 'test/stores/records/sqlite-records.test.ts',
    only: 'nobody is told',
    finds: /not ok .* nobody is told of a promised commit/,
  },
  {
    name: 'a look into memory that does not wait for the disk',
    edits: [
      {
        file: 'src/stores/records/held-records.ts',
        from: '    if (known) await records.settled();\n',
        to: '',
      },
    ],
    suite: 'test/stores/records/holds.test.ts',
    only: 'keeps in memory',
    finds: /not ok .* what a holder keeps in memory/,
  },
];
