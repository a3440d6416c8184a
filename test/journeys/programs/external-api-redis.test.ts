import { inTurn } from '../../support/sample.ts';
import { outsideApiTests } from './external-api.ts';

// On SQLite they are told each day.
for (const isToday of inTurn([true, false])) if (isToday) outsideApiTests('Redis');
