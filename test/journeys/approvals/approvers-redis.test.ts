import { inTurn } from '../../support/sample.ts';
import { approversJourneys } from './approvers.ts';

// On SQLite these tests run every day.
for (const isToday of inTurn([true, false])) if (isToday) approversJourneys('Redis');
