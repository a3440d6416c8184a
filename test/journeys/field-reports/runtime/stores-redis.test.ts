import { storeJourneys } from './stores.ts';

storeJourneys('Redis');
