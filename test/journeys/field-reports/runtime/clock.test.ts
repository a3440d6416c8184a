import { inTurn } from '../../../support/sample.ts';
import { clockJourneys } from './clock.ts';

// `events.ts` and `main-job.ts` cover what differs between the transports.
for (const delivery of inTurn(['http', 'socket'] as const)) clockJourneys(delivery);
