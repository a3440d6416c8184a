import { modalJourneys } from './modals.ts';

modalJourneys('socket');
