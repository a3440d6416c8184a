/** A separate process that takes a message and a lease, prints it, and lives until it is killed. */
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
// An unreferenced store would be collected, and release the folder.
setInterval(() => store, 60_000);
