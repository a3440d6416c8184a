import { clockJourneys } from './clock.ts';

clockJourneys('http');
