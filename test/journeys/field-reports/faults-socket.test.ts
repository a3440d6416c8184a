import { faultJourneys } from './faults.ts';

faultJourneys('socket');
