import { turnJourneys } from './turns.ts';

turnJourneys('http');
