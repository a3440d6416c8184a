import { inTurn } from '../../support/sample.ts';
import { mainJobJourneys } from './main-job.ts';

for (const store of inTurn(['Redis', 'a Redis cluster'] as const)) mainJobJourneys('http', store);
