import { storeJourneys } from './stores.ts';

storeJourneys('SQLite');
