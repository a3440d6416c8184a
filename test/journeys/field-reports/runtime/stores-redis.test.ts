import { inTurn } from '../../../support/sample.ts';
import { storeJourneys } from './stores.ts';

// On SQLite these tests run every day.
for (const isToday of inTurn([true, false], 1)) if (isToday) storeJourneys('Redis');
