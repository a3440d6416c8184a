import { inTurn } from '../../../support/sample.ts';
import { crashJourneys } from './crashes.ts';

// Both transports do all that they have to do in `events.ts` and in `main-job.ts`.
for (const delivery of inTurn(['http', 'socket'] as const, 1)) crashJourneys(delivery);
