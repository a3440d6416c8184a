import { routeChangeJourneys } from './route-changes.ts';

routeChangeJourneys('Redis');
