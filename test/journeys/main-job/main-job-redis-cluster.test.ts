import { mainJobJourneys } from './main-job.ts';

mainJobJourneys('http', 'a Redis cluster');
