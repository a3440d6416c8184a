import { inTurn } from '../../support/sample.ts';
import { approversJourneys } from './approvers.ts';

// On SQLite they are told each day.
for (const isToday of inTurn([true, false])) if (isToday) approversJourneys('Redis');
