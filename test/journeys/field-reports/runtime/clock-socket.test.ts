import { clockJourneys } from './clock.ts';

clockJourneys('socket');
