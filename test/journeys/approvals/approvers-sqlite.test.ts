import { approversJourneys } from './approvers.ts';

approversJourneys('SQLite');
