import type { ThreadFence } from '../../domain/ports/agenda.ts';
import type { InboxMessage } from '../../domain/threads/message.ts';
import type { HelperThreads } from '../calls/execution/helper-threads.ts';
import type { CloseLiveAnswer } from '../delivery/close-live-answer.ts';
import type { LiveAnswers } from '../delivery/live-answer.ts';
import type { ThreadProgress } from '../delivery/thread-progress.ts';
import type { HeldWork } from '../deps.ts';
import type { createEndTurn } from './end-turn.ts';
import type { GraphCallResults } from './graph-calls/graph-call-results.ts';
import type { createReadOpenCalls } from './graph-calls/open-calls.ts';
import type { InteractiveTurns } from './interactive-turns.ts';
import type { createIngestAttachments } from './messages/ingest-attachments.ts';
import type { createMessageWhileWaiting } from './messages/message-while-waiting.ts';

/** What the steps of a turn are made of. */
export interface TurnParts {
  readonly readOpenCalls: ReturnType<typeof createReadOpenCalls>;
  readonly handleMessages: ReturnType<typeof createMessageWhileWaiting>;
  readonly ingest: ReturnType<typeof createIngestAttachments>;
  readonly helperThreads: HelperThreads;
  readonly graphCallResults: GraphCallResults;
  readonly interactiveTurns: InteractiveTurns;
  readonly progress: ThreadProgress;
  readonly live: LiveAnswers;
  readonly closeLive: CloseLiveAnswer;
  readonly endTurn: ReturnType<typeof createEndTurn>;
}

/** A turn, and a worker's hold on its thread. */
export interface HeldTurn {
  readonly message: InboxMessage;
  readonly fence: ThreadFence;
  readonly work: HeldWork;
}
