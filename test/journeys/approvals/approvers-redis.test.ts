import { approversJourneys } from './approvers.ts';

approversJourneys('Redis');
