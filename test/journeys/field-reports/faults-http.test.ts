import { faultJourneys } from './faults.ts';

faultJourneys('http');
