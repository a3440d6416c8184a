import { limitJourneys } from './limits.ts';

limitJourneys('socket');
