import { limitJourneys } from './limits.ts';

limitJourneys('http');
