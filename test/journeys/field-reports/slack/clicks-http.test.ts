import { clickJourneys } from './clicks.ts';

clickJourneys('http');
