/** A process of its own that takes a message and a lease, says so, and lives until it is killed. */
import { advanceTurnKey } from '../../../src/domain/ports/agenda.ts';
import { createSqliteStore } from '../../../src/stores/sqlite/create-sqlite-store.ts';
import { THREAD } from '../../support/builders/a-call.ts';
import { claimOne } from '../../support/builders/claim-one.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { aMessage } from '../../support/store/contract/contract-store.ts';

const clock = createManualClock();
const store = createSqliteStore({ dataDir: process.argv[2] ?? '', clock });
await store.inbox.receive(aMessage('1700000001.000100'), {
  wakes: [{ key: advanceTurnKey(THREAD), dueAt: clock.now() }],
});
const lease = await claimOne(store.agenda, clock.now(), 3_600_000);
process.stdout.write(`holding ${lease?.fence}\n`);
// A store that nobody refers to would be collected, and give the folder back.
setInterval(() => store, 60_000);
