import { routeChangeJourneys } from './route-changes.ts';

routeChangeJourneys('SQLite');
