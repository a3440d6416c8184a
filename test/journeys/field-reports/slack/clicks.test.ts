import { inTurn } from '../../../support/sample.ts';
import { clickJourneys } from './clicks.ts';

// `events.ts` and `main-job.ts` cover what differs between the transports.
for (const delivery of inTurn(['http', 'socket'] as const)) clickJourneys(delivery);
