import { clickJourneys } from './clicks.ts';

clickJourneys('socket');
