import { eventJourneys } from './events.ts';

eventJourneys('http');
