import { eventJourneys } from './events.ts';

eventJourneys('socket');
