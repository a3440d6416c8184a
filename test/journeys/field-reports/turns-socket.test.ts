import { turnJourneys } from './turns.ts';

turnJourneys('socket');
