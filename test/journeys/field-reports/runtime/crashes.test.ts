import { inTurn } from '../../../support/sample.ts';
import { crashJourneys } from './crashes.ts';

// `events.ts` and `main-job.ts` cover what differs between the transports.
for (const delivery of inTurn(['http', 'socket'] as const, 1)) crashJourneys(delivery);
