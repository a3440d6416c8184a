import { mainJobJourneys } from './main-job.ts';

mainJobJourneys('http', 'Redis');
