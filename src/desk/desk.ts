import type { OnDamaged } from '../domain/audit/damaged-record.ts';
import type { Call } from '../domain/calls/call.ts';
import type {
  DecisionCommand,
  DecisionLook,
  DecisionOutcome,
  OpenCommand,
  SettleCommand,
} from '../domain/calls/decision.ts';
import type { Person } from '../domain/people/person.ts';
import { heedKey, pumpKey, rerouteKey, type TeamGroup } from '../domain/ports/agenda.ts';
import type { InboxMessage } from '../domain/threads/message.ts';
import type { Pause } from '../domain/threads/pause.ts';
import type { ThreadKey } from '../domain/threads/thread-key.ts';
import { actorOf } from './calls/call-effects.ts';
import { createClaimAtOnce } from './calls/execution/claim-on-approval.ts';
import { createExecute } from './calls/execution/execute.ts';
import { createExpire } from './calls/expire.ts';
import { dueNow } from './calls/freshness.ts';
import { createReroute } from './calls/policy/reroute-calls.ts';
import { createPropose } from './calls/propose.ts';
import { createEscalate, createRemind } from './calls/remind-escalate.ts';
import { createAnnounce } from './cards/announcements.ts';
import { createDrawBulletin } from './cards/digest-message.ts';
import { createRedraw } from './cards/render-card.ts';
import { createDrawStub } from './cards/stub.ts';
import { type Control, createControl } from './control/control.ts';
import { type AskAgainOutcome, createAskAgain } from './decisions/ask-again.ts';
import { createAuthorize } from './decisions/authorize.ts';
import { createDecide } from './decisions/decide.ts';
import { createDecideAtEdge } from './decisions/decide-as-person.ts';
import { createDescribeCalls, type DescribeCalls } from './decisions/lists/describe-calls.ts';
import { createListDecided, type ListDecided } from './decisions/lists/list-decided.ts';
import { createListAsked, type ListAsked } from './decisions/lists/list-requested.ts';
import { createListTeam, type ListTeam } from './decisions/lists/list-team.ts';
import { createListWaiting, type ListWaiting } from './decisions/lists/list-waiting.ts';
import {
  createIsAdmin,
  createReadOverview,
  type ReadOverview,
} from './decisions/lists/workspace-overview.ts';
import { createRate, type RateCommand } from './decisions/rate.ts';
import { createOpenCall } from './decisions/read-full-call.ts';
import { createPace } from './delivery/channel-rate-limiter.ts';
import { createCloseLive } from './delivery/close-live-answer.ts';
import { createSay } from './delivery/deliver-outbox.ts';
import { createLiveAnswers, type LiveAnswers } from './delivery/live-answer.ts';
import { createStatusLine, type StatusLine } from './delivery/session-status.ts';
import { createProgress } from './delivery/thread-progress.ts';
import { createWelcome, type Welcome } from './delivery/welcome-message.ts';
import type { DeskDeps } from './deps.ts';
import { createCallBack } from './external/send-callback.ts';
import { createTidy } from './retention/retention.ts';
import { createPump } from './turns/advance-turn.ts';
import { createEndTurn } from './turns/end-turn.ts';
import { createHandedCalls } from './turns/graph-calls/graph-call-results.ts';
import { createReadOpenCalls } from './turns/graph-calls/open-calls.ts';
import { createHelperThreads } from './turns/helper-threads.ts';
import { createAdmit } from './turns/messages/check-sender.ts';
import { isBareWord } from './turns/messages/command-words.ts';
import { createTakeIn } from './turns/messages/ingest-attachments.ts';
import { withOrderWait } from './turns/messages/message-order.ts';
import { createHear } from './turns/messages/message-while-waiting.ts';
import { createHeed } from './turns/messages/thread-commands.ts';
import { createTellParked } from './worker/notify-dead-letter.ts';
import { createQuarantine, listQuarantined, type QuarantinedRecord } from './worker/quarantine.ts';
import { createSweep } from './worker/stalled-work-sweep.ts';
import { createRunner, type Runner } from './worker/task-runner.ts';

/** What the edges of the app may ask of it: every decision, from whatever surface, comes through here. */
export interface Desk extends Control {
  /** Stores a message; once it has resolved, the message is never lost. Before Slack is told that we have it. */
  receive(message: InboxMessage): Promise<'new' | 'known'>;
  /** Welcomes a person in their direct messages with the app, once for all time. */
  welcome(welcome: Welcome): Promise<void>;
  /** Tells whether the agent is in this thread. */
  isInThread(thread: ThreadKey): Promise<boolean>;
  decide(command: DecisionCommand): Promise<DecisionOutcome>;
  settle(command: SettleCommand): Promise<DecisionOutcome>;
  /** Answers whether the person could make this decision now: `open`, or what deciding would answer; decides nothing. */
  look(
    look: DecisionLook,
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
  readonly listAsked: ListAsked;
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
    | 'sight'
    | 'talk'
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
  const withClaim = gate && helpers && createClaimAtOnce({ ...deps, gate, helpers });
  const decide = createDecide(deps, authorize);
  const decisions = createDecideAtEdge(deps, decide, authorize, withClaim);
  return {
    ...createControl(deps),
    ...decisions,
    open: createOpenCall(deps, decisions.look),
    isInThread: (thread) => store.inbox.knows(thread),
    rate: createRate(deps),
    welcome: createWelcome(deps),
    askAgain: createAskAgain(deps),
    listWaiting: createListWaiting(deps, authorize),
    listAsked: createListAsked(deps),
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
        pumpKey(message.thread),
        ...(isBareWord(message) ? [heedKey(message.thread)] : []),
      ];
      const wakes = keys.map((key) => ({ key, dueAt: dueNow(true, clock.now()) }));
      return await store.inbox.receive(withOrderWait(message), { audit: [audit], wakes });
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
export interface Worker extends Runner {
  readonly status: StatusLine;
  readonly live: LiveAnswers;
  /** Has a stored record looked at that was found damaged. */
  readonly onDamaged: OnDamaged;
}

/** Creates the worker: everything that the agenda asks for is done here. */
export function createWorker(deps: DeskDeps): Worker {
  const authorize = createAuthorize(deps);
  const { decide } = createDecide(deps, authorize);
  const status = createStatusLine(deps);
  const readOpenCalls = createReadOpenCalls(deps, createPropose(deps));
  const admit = createAdmit(deps);
  const heed = createHeed(deps);
  const hear = createHear(deps, decide, admit, authorize);
  const takeIn = createTakeIn(deps);
  const live = createLiveAnswers({ ...deps, ...deps.store });
  const closeLive = createCloseLive(deps, live);
  const helperThreads = createHelperThreads(deps);
  const endTurn = createEndTurn(deps, closeLive);
  const progress = createProgress(deps, status, live);
  const pump = createPump(deps, {
    readOpenCalls,
    hear,
    takeIn,
    admit,
    heed,
    helperThreads,
    handed: createHandedCalls(deps),
    progress,
    live,
    closeLive,
    endTurn,
  });
  const pace = createPace(deps.clock);
  const announce = createAnnounce(deps);
  const say = createSay(deps, pace);
  const quarantine = createQuarantine(deps);
  const tellParked = createTellParked(deps);
  const sweep = createSweep({ ...deps, quarantine });
  const tidy = createTidy(deps);
  const runner = createRunner({
    agenda: deps.store.agenda,
    clock: deps.clock,
    log: deps.log,
    leaseMs: deps.leaseMs,
    handlers: {
      // Keys of threads are made by the desk from thread keys only.
      pump: (id, work) => pump(id as ThreadKey, work),
      say: (id, work) => say(id as ThreadKey, work),
      heed: (id) => heed.heed(id as ThreadKey),
      run: createExecute(deps, helperThreads, progress),
      expire: createExpire(deps),
      remind: createRemind(deps, announce),
      escalate: createEscalate(deps, announce),
      reroute: createReroute(deps),
      redraw: createRedraw(deps, { pace, announce, progress }),
      stub: createDrawStub(deps, { pace, progress }),
      bulletin: createDrawBulletin(deps, pace, createDescribeCalls(deps)),
      callback: createCallBack(deps),
      tidy: tidy.work,
      damaged: quarantine.look,
    },
    async beforePark(lease, error) {
      await quarantine.tell(lease, error);
      await tellParked(lease, error);
    },
  });
  return {
    ...runner,
    onDamaged: quarantine.note,
    status,
    live,
    start() {
      runner.start();
      sweep.start();
      tidy.start();
    },
    async stop(graceMs) {
      tidy.stop();
      status.stop();
      await Promise.all([runner.stop(graceMs), sweep.stop()]);
    },
  };
}
