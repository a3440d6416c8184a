import { inTurn } from '../../support/sample.ts';
import { routeChangeJourneys } from './route-changes.ts';

// On SQLite these tests run every day.
for (const isToday of inTurn([true, false], 1)) if (isToday) routeChangeJourneys('Redis');
