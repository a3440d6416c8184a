import { inTurn } from '../../support/sample.ts';
import { outsideApiTests } from './external-api.ts';

// On SQLite these tests run every day.
for (const isToday of inTurn([true, false])) if (isToday) outsideApiTests('Redis');
