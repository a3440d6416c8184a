import { crashJourneys } from './crashes.ts';

crashJourneys('socket');
