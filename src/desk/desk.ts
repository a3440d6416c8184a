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
import { createHelperThreads } from './calls/execution/helper-threads.ts';
import { createExpire } from './calls/expire.ts';
import { dueImmediately } from './calls/freshness.ts';
import { createReroute } from './calls/policy/reroute-calls.ts';
import { createPropose } from './calls/propose.ts';
import { createAnnouncements } from './cards/announcements.ts';
import { createRenderDigest } from './cards/digest-message.ts';
import { createEscalate, createRemind } from './cards/remind-escalate.ts';
import { createRenderCard } from './cards/render-card.ts';
import { createRenderStub } from './cards/stub.ts';
import { type Control, createControl } from './control/control.ts';
import { type AskAgainOutcome, createAskAgain } from './decisions/ask-again.ts';
import { createAuthorize } from './decisions/authorize.ts';
import { createDecide } from './decisions/decide.ts';
import { createDecideUnlessPaused } from './decisions/decide-unless-paused.ts';
import { createDescribeCalls, type DescribeCalls } from './decisions/lists/describe-calls.ts';
import { createListDecided, type ListDecided } from './decisions/lists/list-decided.ts';
import { createListRequested, type ListRequested } from './decisions/lists/list-requested.ts';
import { createListTeam, type ListTeam } from './decisions/lists/list-team.ts';
import { createListWaiting, type ListWaiting } from './decisions/lists/list-waiting.ts';
import {
  createReadOverview,
  isKnownAdmin,
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

/**
 * What people and programs ask for. Replies in a thread are decided by the worker (`createWorker`),
 * programs' own calls by `createExternalDesk`.
 */
export interface Desk extends Control {
  /** Stores a message durably. Must resolve before Slack's event is acknowledged. */
  receive(message: InboxMessage): Promise<'new' | 'known'>;
  /** Welcomes a person in their direct messages, once ever. */
  welcome(welcome: WelcomedPerson): Promise<void>;
  /** True if the agent is in this thread. */
  isInThread(thread: ThreadKey): Promise<boolean>;
  decide(command: DecisionCommand): Promise<DecisionOutcome>;
  settle(command: SettleCommand): Promise<DecisionOutcome>;
  /**
   * Checks whether the person could make this decision now: `open`, or what deciding would return.
   * Decides nothing.
   */
  checkDecision(
    check: DecisionCheck,
  ): Promise<{ readonly kind: 'open'; readonly call: Call } | DecisionOutcome>;
  /** Like `checkDecision`, for viewing a call in full: unmasks its values and audits that. */
  open(
    command: OpenCommand,
  ): Promise<{ readonly kind: 'open'; readonly call: Call } | DecisionOutcome>;
  /**
   * Stores a person's rating of a turn's answer, replacing an earlier one; false if there is no
   * such turn.
   */
  rate(command: RateCommand): Promise<boolean>;
  /** Starts a new turn that asks for an expired call again; only for its requester. */
  askAgain(command: { readonly callId: string; readonly by: Person }): Promise<AskAgainOutcome>;
  /** Reevaluates the pending calls whose route names a group, because its members have changed. */
  groupChanged(group: TeamGroup): Promise<void>;
  /** Lists the calls that wait for a person's decision. */
  readonly listWaiting: ListWaiting;
  /** Lists the calls that a person requested. */
  readonly listRequested: ListRequested;
  /** Lists everyone's pending calls whose cards the person can see. */
  readonly listTeam: ListTeam;
  /** Lists the calls that a person has decided. */
  readonly listDecided: ListDecided;
  /** True if the person is an admin of this app. */
  isAdmin(person: Person): Promise<boolean>;
  /** The state of the workspace, for admins. */
  readonly readOverview: ReadOverview;
  /** Describes each call in one line, for a person. */
  readonly describeCalls: DescribeCalls;
  /** The current pause, if any. */
  readPause(): Promise<Pause | undefined>;
  /** Lists the damaged records. */
  listQuarantined(): Promise<readonly QuarantinedRecord[]>;
  /** Audits a request that was refused before it reached a use case. */
  recordRefusal(refusal: {
    readonly surface: string;
    readonly subject: string;
    readonly actor: string;
    readonly why: string;
  }): Promise<void>;
}

/**
 * Creates the desk. Commands are stored and the worker acts on them. Without a gate and helpers,
 * approvals follow their stored route until the claim.
 */
export function createDesk(
  deps: Pick<
    DeskDeps,
    | 'store'
    | 'toolbox'
    | 'clock'
    | 'signals'
    | 'claims'
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
  const decisions = createDecideUnlessPaused(deps, decide, authorize, withClaim);
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
    isAdmin: (person) => isKnownAdmin(deps, person),
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
      // A command acts even while its thread is busy.
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

/** The worker side of the desk: one per process. */
export interface Worker extends TaskRunner {
  readonly status: SessionStatusWriter;
  readonly live: LiveAnswers;
  /** Schedules a check of a damaged record. */
  readonly onDamaged: OnDamaged;
}

/** Creates the worker, which runs all tasks of the agenda. */
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
    handleMessages: handleWhileWaiting,
    ingest: ingestAttachments,
    checkSender,
    threadCommands,
    helperThreads,
    graphCallResults: createGraphCallResults(deps),
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
      // Ids of thread tasks are thread keys.
      pump: (id, work) => advanceTurn(id as ThreadKey, work),
      say: (id, work) => deliverOutbox(id as ThreadKey, work),
      heed: (id) => threadCommands.runNow(id as ThreadKey),
      run: createExecute(deps, helperThreads, progress),
      expire: createExpire(deps),
      remind: createRemind(deps, announcements),
      escalate: createEscalate(deps, announcements),
      reroute: createReroute(deps),
      redraw: createRenderCard(deps, { rateLimiter, announce: announcements, progress }),
      stub: createRenderStub(deps, { rateLimiter, progress }),
      bulletin: createRenderDigest(deps, rateLimiter, createDescribeCalls(deps)),
      callback: createSendCallback(deps),
      tidy: retentionWorker.work,
      damaged: quarantine.checkRecord,
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
