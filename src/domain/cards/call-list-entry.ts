/** One line per call in lists: name, age, whose turn it is, and where to open it. */
import type { Call, CallStatus, CardPlace } from '../calls/call.ts';
import { behaviourOf } from '../calls/call-origin.ts';
import { isSamePerson, type Person } from '../people/person.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { callTitle } from './call-name.ts';

/** A list entry for a call. */
export interface CallListEntry {
  readonly call: Call;
  /** Written by an agent or program: plain text, not markup. */
  readonly name: string;
  /** When it entered this state (ms). */
  readonly since: number;
  readonly turn: Sentence;
  /** Where the reader can open it; absent if they can't. */
  readonly place?: CardPlace | undefined;
  readonly isCard?: boolean | undefined;
}

/** Whose turn it is, as far as known. */
export interface PendingDeciders {
  /** The reader may decide and has not yet. */
  readonly isReaders?: boolean;
  /** The approvers still missing, by name. */
  readonly missing?: Sentence | undefined;
}

/** Builds the entry of an open call. */
export function toWaitingEntry(call: Call, turns: PendingDeciders): CallListEntry {
  return {
    call,
    name: callTitle(call),
    since: call.createdAt,
    turn: describeWhoseTurn(call, turns),
  };
}

/** Builds the entry of a call for a person who decided on it. */
export function toDecidedEntry(call: Call, by: Person): CallListEntry {
  const decision = describeOwnDecision(call, by);
  const state = isOpen(call) ? describeWhoseTurn(call, {}) : (ENDS[call.status] ?? call.status);
  const turn = sentence`${decision.words} · ${state}`;
  return { call, name: callTitle(call), since: decision.at, turn };
}

/** Builds the entry of an ended call. */
export function toEndedEntry(call: Call): CallListEntry {
  const { status, updatedAt: since, verdict } = call;
  const end = ENDS[status] ?? status;
  const who =
    verdict && sentence`${end} · ${VERDICTS[verdict.kind]} ${{ person: verdict.by.user }}`;
  return { call, name: callTitle(call), since, turn: who ?? end };
}

/** Describes briefly whose turn it is. */
function describeWhoseTurn(call: Call, { isReaders = false, missing }: PendingDeciders): Sentence {
  switch (call.status) {
    case 'pending':
      return describePending(call, { isReaders, missing });
    case 'unknown':
      return `${isReaders ? 'your turn: ' : ''}nobody knows whether it ran`;
    case 'running':
      return describeRunning(call);
    case 'proposed':
      return 'being checked';
    case 'approved':
      return behaviourOf(call).runBy === 'caller'
        ? 'approved, not picked up yet'
        : 'approved, about to run';
    default:
      return ENDS[call.status] ?? call.status;
  }
}

function describePending(call: Call, { isReaders, missing }: PendingDeciders): Sentence {
  const what = behaviourOf(call).asksFor === 'text' ? 'an answer' : 'a decision';
  const whose = isReaders ? 'your turn' : sentence`waiting for ${missing ?? what}`;
  return sentence`${whose}${describeCount(call)}`;
}

function describeRunning({ child, claim }: Call): Sentence {
  if (child !== undefined) return 'a helper is working on it';
  return claim ? sentence`running since ${{ at: claim.at }}` : 'running';
}

function describeCount({ route, votes }: Call): string {
  const quorum = route?.quorum ?? 1;
  return quorum < 2 ? '' : ` · ${votes.length} of ${quorum}`;
}

function isOpen({ status }: Call): boolean {
  return ENDS[status] === undefined;
}

const ENDS: Readonly<Partial<Record<CallStatus, string>>> = {
  succeeded: 'done',
  failed: 'failed',
  replied: 'answered',
  ignored: 'ignored',
  expired: 'expired',
  withdrawn: 'withdrawn',
  refused: 'refused by the policy',
};

const VERDICTS = {
  approve: 'approved by',
  edit: 'edited and approved by',
  reply: 'by',
  ignore: 'by',
  settle: 'settled by',
} as const;

const OWN_DECISIONS = {
  approve: 'you approved',
  edit: 'you edited and approved',
  reply: 'you replied',
  ignore: 'you ignored',
  settle: 'you settled',
} as const;

/**
 * Describes the person's decision that still counts. An edit by another person drops an approval.
 */
function describeOwnDecision(
  call: Call,
  by: Person,
): { readonly words: string; readonly at: number } {
  const { updatedAt, verdict, votes } = call;
  if (verdict && isSamePerson(verdict.by, by))
    return { words: OWN_DECISIONS[verdict.kind], at: verdict.at };
  const vote = votes.find((each) => isSamePerson(each.by, by));
  if (vote) return { words: 'you approved', at: vote.at };
  const edited = call.editedBy && isSamePerson(call.editedBy, by);
  return { words: edited ? 'you edited' : 'you decided an earlier version', at: updatedAt };
}
