import type { OnDamaged } from '../domain/audit/damaged-record.ts';
import type { Call } from '../domain/calls/call.ts';
import type {
  DecisionCheck,
  DecisionCommand,
  DecisionOutcome,
  OpenCommand,
  SettleCommand,
} from '../domain/calls/decision.ts';
import type { Person } from '../domain/people/person.ts';
import {
  advanceTurnKey,
  rerouteKey,
  type TeamGroup,
  threadCommandsKey,
} from '../domain/ports/agenda.ts';
import type { InboxMessage } from '../domain/threads/message.ts';
import type { Pause } from '../domain/threads/pause.ts';
import type { ThreadKey } from '../domain/threads/thread-key.ts';
import { actorOf } from './calls/call-effects.ts';
import { createClaimOnApproval } from './calls/execution/claim-on-approval.ts';
import { createExecute } from './calls/execution/execute.ts';
import { createExpire } from './calls/expire.ts';
import { dueImmediately } from './calls/freshness.ts';
import { createReroute } from './calls/policy/reroute-calls.ts';
import { createPropose } from './calls/propose.ts';
import { createEscalate, createRemind } from './calls/remind-escalate.ts';
import { createAnnouncements } from './cards/announcements.ts';
import { createRenderDigest } from './cards/digest-message.ts';
import { createRenderCard } from './cards/render-card.ts';
import { createRenderStub } from './cards/stub.ts';
import { type Control, createControl } from './control/control.ts';
import { type AskAgainOutcome, createAskAgain } from './decisions/ask-again.ts';
import { createAuthorize } from './decisions/authorize.ts';
import { createDecide } from './decisions/decide.ts';
import { createDecideAsPerson } from './decisions/decide-as-person.ts';
import { createDescribeCalls, type DescribeCalls } from './decisions/lists/describe-calls.ts';
import { createListDecided, type ListDecided } from './decisions/lists/list-decided.ts';
import { createListRequested, type ListRequested } from './decisions/lists/list-requested.ts';
import { createListTeam, type ListTeam } from './decisions/lists/list-team.ts';
import { createListWaiting, type ListWaiting } from './decisions/lists/list-waiting.ts';
import {
  createIsAdmin,
  createReadOverview,
  type ReadOverview,
} from './decisions/lists/workspace-overview.ts';
import { createRate, type RateCommand } from './decisions/rate.ts';
import { createOpenCall } from './decisions/read-full-call.ts';
import { createChannelRateLimiter } from './delivery/channel-rate-limiter.ts';
import { createCloseLiveAnswer } from './delivery/close-live-answer.ts';
import { createDeliverOutbox } from './delivery/deliver-outbox.ts';
import { createLiveAnswers, type LiveAnswers } from './delivery/live-answer.ts';
import { createSessionStatusWriter, type SessionStatusWriter } from './delivery/session-status.ts';
import { createThreadProgress } from './delivery/thread-progress.ts';
import { createWelcomeMessage, type WelcomedPerson } from './delivery/welcome-message.ts';
import type { DeskDeps } from './deps.ts';
import { createSendCallback } from './external/send-callback.ts';
import { createRetention } from './retention/retention.ts';
import { createAdvanceTurn } from './turns/advance-turn.ts';
import { createEndTurn } from './turns/end-turn.ts';
import { createGraphCallResults } from './turns/graph-calls/graph-call-results.ts';
import { createReadOpenCalls } from './turns/graph-calls/open-calls.ts';
import { createHelperThreads } from './turns/helper-threads.ts';
import { createCheckSender } from './turns/messages/check-sender.ts';
import { isThreadCommand } from './turns/messages/command-words.ts';
import { createIngestAttachments } from './turns/messages/ingest-attachments.ts';
import { withOrderDelay } from './turns/messages/message-order.ts';
import { createMessageWhileWaiting } from './turns/messages/message-while-waiting.ts';
import { createThreadCommands } from './turns/messages/thread-commands.ts';
import { createNotifyDeadLetter } from './worker/notify-dead-letter.ts';
import { createQuarantine, listQuarantined, type QuarantinedRecord } from './worker/quarantine.ts';
import { createStalledWorkSweep } from './worker/stalled-work-sweep.ts';
import { createTaskRunner, type TaskRunner } from './worker/task-runner.ts';

/** What the edges of the app may ask of it: every decision, from whatever surface, comes through here. */
export interface Desk extends Control {
  /** Stores a message; once it has resolved, the message is never lost. Before Slack is told that we have it. */
  receive(message: InboxMessage): Promise<'new' | 'known'>;
  /** Welcomes a person in their direct messages with the app, once for all time. */
  welcome(welcome: WelcomedPerson): Promise<void>;
  /** Tells whether the agent is in this thread. */
  isInThread(thread: ThreadKey): Promise<boolean>;
  decide(command: DecisionCommand): Promise<DecisionOutcome>;
  settle(command: SettleCommand): Promise<DecisionOutcome>;
  /** Answers whether the person could make this decision now: `open`, or what deciding would answer; decides nothing. */
  checkDecision(
    look: DecisionCheck,
  ): Promise<{ readonly kind: 'open'; readonly call: Call } | DecisionOutcome>;
  /** Answers as a look does, for a person who reads the call whole: what is masked until then is theirs to see, and that is logged. */
  open(
    command: OpenCommand,
  ): Promise<{ readonly kind: 'open'; readonly call: Call } | DecisionOutcome>;
  /** Keeps what a person thinks of a turn's answer, in place of what they thought before; false when there is no such turn. */
  rate(command: RateCommand): Promise<boolean>;
  /** Begins a new turn that asks for a call again which nobody decided in time; for whoever asked first. */
  askAgain(command: { readonly callId: string; readonly by: Person }): Promise<AskAgainOutcome>;
  /** Has the waiting calls looked at whose route names a group: its members have changed. */
  groupChanged(group: TeamGroup): Promise<void>;
  /** Tells what waits for a person's decision. */
  readonly listWaiting: ListWaiting;
  /** Tells how it stands with what a person asked for. */
  readonly listRequested: ListRequested;
  /** Tells what waits for anybody, where a person can see it. */
  readonly listTeam: ListTeam;
  /** Tells what a person has decided. */
  readonly listDecided: ListDecided;
  /** Tells whether somebody is an admin to us. */
  isAdmin(person: Person): Promise<boolean>;
  /** Tells an admin how the workspace stands. */
  readonly readOverview: ReadOverview;
  /** Describes calls in a line each, for a person. */
  readonly describeCalls: DescribeCalls;
  /** Tells who has paused everything, if anybody has. */
  readPause(): Promise<Pause | undefined>;
  /** Tells which stored records are damaged. */
  listQuarantined(): Promise<readonly QuarantinedRecord[]>;
  /** Remembers that somebody was turned away at the edge. */
  recordRefusal(refusal: {
    readonly surface: string;
    readonly subject: string;
    readonly actor: string;
    readonly why: string;
  }): Promise<void>;
}

/** Creates the desk; what it was told is stored, and the worker acts on it. Without a gate, or the helpers, what is approved goes by its stored route until the worker claims it. */
export function createDesk(
  deps: Pick<
    DeskDeps,
    | 'store'
    | 'toolbox'
    | 'clock'
    | 'signals'
    | 'directory'
    | 'visibility'
    | 'senderPolicy'
    | 'integrity'
    | 'log'
    | 'graph'
    | 'onDamaged'
  > &
    Partial<Pick<DeskDeps, 'gate' | 'helpers' | 'leaseMs'>>,
): Desk {
  const { store, clock } = deps;
  const authorize = createAuthorize(deps);
  const { gate, helpers } = deps;
  const withClaim = gate && helpers && createClaimOnApproval({ ...deps, gate, helpers });
  const decide = createDecide(deps, authorize);
  const decisions = createDecideAsPerson(deps, decide, authorize, withClaim);
  return {
    ...createControl(deps),
    ...decisions,
    open: createOpenCall(deps, decisions.checkDecision),
    isInThread: (thread) => store.inbox.hasThread(thread),
    rate: createRate(deps),
    welcome: createWelcomeMessage(deps),
    askAgain: createAskAgain(deps),
    listWaiting: createListWaiting(deps, authorize),
    listRequested: createListRequested(deps),
    listTeam: createListTeam(deps),
    listDecided: createListDecided(deps),
    isAdmin: createIsAdmin(deps),
    readOverview: createReadOverview(deps),
    describeCalls: createDescribeCalls(deps),
    readPause: () => store.pause.read(),
    listQuarantined: () => listQuarantined(store),
    async receive(message) {
      const audit = {
        at: clock.now(),
        event: 'message.receive',
        subject: message.id,
        actor: actorOf(message.author),
        detail: { thread: message.thread },
      };
      // A command to us acts while the thread is busy.
      const keys = [
        advanceTurnKey(message.thread),
        ...(isThreadCommand(message) ? [threadCommandsKey(message.thread)] : []),
      ];
      const wakes = keys.map((key) => ({ key, dueAt: dueImmediately(true, clock.now()) }));
      return await store.inbox.receive(withOrderDelay(message), { audit: [audit], wakes });
    },
    groupChanged: (group) => store.agenda.wake([{ key: rerouteKey(group), dueAt: clock.now() }]),
    async recordRefusal({ surface, subject, actor, why }) {
      await store.audit.append([
        { at: clock.now(), event: 'edge.refuse', subject, actor, detail: { surface, why } },
      ]);
    },
  };
}

/** The side of the desk that works: one per process. */
export interface Worker extends TaskRunner {
  readonly status: SessionStatusWriter;
  readonly live: LiveAnswers;
  /** Has a stored record looked at that was found damaged. */
  readonly onDamaged: OnDamaged;
}

/** Creates the worker: everything that the agenda asks for is done here. */
export function createWorker(deps: DeskDeps): Worker {
  const authorize = createAuthorize(deps);
  const { decide } = createDecide(deps, authorize);
  const status = createSessionStatusWriter(deps);
  const readOpenCalls = createReadOpenCalls(deps, createPropose(deps));
  const checkSender = createCheckSender(deps);
  const threadCommands = createThreadCommands(deps);
  const handleWhileWaiting = createMessageWhileWaiting(deps, decide, checkSender, authorize);
  const ingestAttachments = createIngestAttachments(deps);
  const live = createLiveAnswers({ ...deps, ...deps.store });
  const closeLive = createCloseLiveAnswer(deps, live);
  const helperThreads = createHelperThreads(deps);
  const endTurn = createEndTurn(deps, closeLive);
  const progress = createThreadProgress(deps, status, live);
  const advanceTurn = createAdvanceTurn(deps, {
    readOpenCalls,
    hear: handleWhileWaiting,
    takeIn: ingestAttachments,
    admit: checkSender,
    heed: threadCommands,
    helperThreads,
    handed: createGraphCallResults(deps),
    progress,
    live,
    closeLive,
    endTurn,
  });
  const rateLimiter = createChannelRateLimiter(deps.clock);
  const announcements = createAnnouncements(deps);
  const deliverOutbox = createDeliverOutbox(deps, rateLimiter);
  const quarantine = createQuarantine(deps);
  const notifyDeadLetter = createNotifyDeadLetter(deps);
  const stalledWorkSweep = createStalledWorkSweep({ ...deps, quarantine });
  const retentionWorker = createRetention(deps);
  const runner = createTaskRunner({
    agenda: deps.store.agenda,
    clock: deps.clock,
    log: deps.log,
    leaseMs: deps.leaseMs,
    handlers: {
      // Keys of threads are made by the desk from thread keys only.
      pump: (id, work) => advanceTurn(id as ThreadKey, work),
      say: (id, work) => deliverOutbox(id as ThreadKey, work),
      heed: (id) => threadCommands.heed(id as ThreadKey),
      run: createExecute(deps, helperThreads, progress),
      expire: createExpire(deps),
      remind: createRemind(deps, announcements),
      escalate: createEscalate(deps, announcements),
      reroute: createReroute(deps),
      redraw: createRenderCard(deps, { pace: rateLimiter, announce: announcements, progress }),
      stub: createRenderStub(deps, { pace: rateLimiter, progress }),
      bulletin: createRenderDigest(deps, rateLimiter, createDescribeCalls(deps)),
      callback: createSendCallback(deps),
      tidy: retentionWorker.work,
      damaged: quarantine.look,
    },
    async beforePark(lease, error) {
      await quarantine.notifyDamaged(lease, error);
      await notifyDeadLetter(lease, error);
    },
  });
  return {
    ...runner,
    onDamaged: quarantine.note,
    status,
    live,
    start() {
      runner.start();
      stalledWorkSweep.start();
      retentionWorker.start();
    },
    async stop(graceMs) {
      retentionWorker.stop();
      status.stop();
      await Promise.all([runner.stop(graceMs), stalledWorkSweep.stop()]);
    },
  };
}
