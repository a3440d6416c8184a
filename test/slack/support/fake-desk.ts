import type { StopOutcome } from '../../../src/desk/control/stop-commands.ts';
import type { DecidedList, ListDecided } from '../../../src/desk/decisions/lists/list-decided.ts';
import type {
  ListRequested,
  RequestedCalls,
} from '../../../src/desk/decisions/lists/list-requested.ts';
import type { TeamList } from '../../../src/desk/decisions/lists/list-team.ts';
import type { ListWaiting, WaitingCalls } from '../../../src/desk/decisions/lists/list-waiting.ts';
import type { WorkspaceOverview } from '../../../src/desk/decisions/lists/workspace-overview.ts';
import type { RateCommand } from '../../../src/desk/decisions/rate.ts';
import type { WelcomedPerson } from '../../../src/desk/delivery/welcome-message.ts';
import type { Desk } from '../../../src/desk/desk.ts';
import type { Call } from '../../../src/domain/calls/call.ts';
import type {
  DecisionCommand,
  DecisionOutcome,
  SettleCommand,
} from '../../../src/domain/calls/decision.ts';
import { toDecidedEntry, toWaitingEntry } from '../../../src/domain/cards/call-list-entry.ts';
import type { InboxMessage } from '../../../src/domain/threads/message.ts';
import type { Pause } from '../../../src/domain/threads/pause.ts';

/** A fake desk with scripted answers, which records what it was asked. */
export interface FakeDesk extends Desk {
  readonly received: InboxMessage[];
  readonly commands: (DecisionCommand | SettleCommand)[];
  readonly ratings: RateCommand[];
  readonly refusals: { surface: string; subject: string; actor: string; why: string }[];
  /** The call that people look at. */
  call: Call | undefined;
  /** The answers to the next decisions and checks. */
  outcome: DecisionOutcome | undefined;
  /** Set to make the next writes fail. */
  broken: boolean;
  inThread: boolean;
  /** Whether the turns that people rate are known. */
  knowsTurns: boolean;
  /** What was asked of it besides decisions. */
  readonly controls: object[];
  /** Every welcome, repeated ones too. */
  readonly welcomes: WelcomedPerson[];
  /** The answer to a stop. */
  stopped: StopOutcome;
  /** What waits for each person, and what each person requested. */
  waiting: WaitingCalls;
  asked: RequestedCalls;
  team: TeamList;
  decided: DecidedList;
  /** Whether the viewer is an admin. */
  overview: WorkspaceOverview | undefined;
  paused: Pause | undefined;
  /** Whether it is the viewer's turn. */
  isTurn: boolean;
  listWaiting: ListWaiting;
  listRequested: ListRequested;
  listDecided: ListDecided;
}

/** Makes a desk for tests of the Slack adapter. */
export function createFakeDesk(): FakeDesk {
  const known = new Set<string>();
  const answer = (): DecisionOutcome => {
    if (desk.broken) throw new Error('The disk is full.');
    return desk.outcome ?? { kind: 'not-found' };
  };
  const desk: FakeDesk = {
    listQuarantined: async () => [],
    received: [],
    commands: [],
    ratings: [],
    refusals: [],
    call: undefined,
    outcome: undefined,
    broken: false,
    inThread: false,
    knowsTurns: true,
    controls: [],
    welcomes: [],
    stopped: { kind: 'stopped', turns: 1 },
    waiting: { kind: 'page', calls: [] },
    asked: { open: [], over: [] },
    team: { kind: 'page', calls: [] },
    decided: { calls: [] },
    overview: undefined,
    paused: undefined,
    isTurn: true,
    async receive(message) {
      if (desk.broken) throw new Error('The disk is full.');
      if (known.has(message.id)) return 'known';
      known.add(message.id);
      desk.received.push(message);
      return 'new';
    },
    isInThread: async () => desk.inThread,
    async groupChanged(group) {
      desk.controls.push(group);
    },
    async decide(command) {
      desk.commands.push(command);
      return answer();
    },
    async settle(command) {
      desk.commands.push(command);
      return answer();
    },
    async checkDecision() {
      if (desk.outcome !== undefined) return answer();
      return desk.call === undefined ? { kind: 'not-found' } : { kind: 'open', call: desk.call };
    },
    open: (command) => desk.checkDecision({ ...command, kind: 'approve' }),
    async rate(command) {
      if (desk.broken) throw new Error('The disk is full.');
      desk.ratings.push(command);
      return desk.knowsTurns;
    },
    async stop(command) {
      desk.controls.push({ what: 'stop', ...command });
      return desk.stopped;
    },
    async stopAt(command) {
      desk.controls.push({ what: 'stopAt', ...command });
      return desk.stopped;
    },
    async welcome(welcome) {
      desk.welcomes.push(welcome);
    },
    async stopAll(command) {
      desk.controls.push({ what: 'stopAll', ...command });
      if (desk.broken) throw new Error('The disk is full.');
      return desk.stopped;
    },
    async pause(by) {
      desk.controls.push({ what: 'pause', by });
      return { kind: 'paused', pause: { by, at: 0 } };
    },
    async resume(by) {
      desk.controls.push({ what: 'resume', by });
      return { kind: 'resumed' };
    },
    async forget(command) {
      desk.controls.push({ what: 'forget', ...command });
      return { kind: 'forgotten', turns: 1 };
    },
    async status(command) {
      desk.controls.push({ what: 'status', ...command });
      return { kind: 'status', pause: undefined, ongoing: [], quarantined: [] };
    },
    async askAgain(command) {
      if (desk.broken) throw new Error('The disk is full.');
      desk.controls.push({ what: 'askAgain', ...command });
      return { kind: desk.call?.status === 'expired' ? 'asked' : 'not-expired' };
    },
    listWaiting: async () => desk.waiting,
    listRequested: async () => desk.asked,
    listTeam: async () => desk.team,
    listDecided: async () => desk.decided,
    isAdmin: async () => desk.overview !== undefined,
    readOverview: async () => desk.overview,
    readPause: async () => desk.paused,
    describeCalls: async (calls, reader) =>
      calls.map((call) => {
        if (reader.kind === 'person' && reader.hasDecided)
          return toDecidedEntry(call, reader.person);
        return toWaitingEntry(call, { isReaders: desk.isTurn });
      }),
    async recordRefusal(refusal) {
      desk.refusals.push(refusal);
    },
  };
  return desk;
}
