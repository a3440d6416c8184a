import { modalJourneys } from './modals.ts';

modalJourneys('http');
