import { crashJourneys } from './crashes.ts';

crashJourneys('http');
