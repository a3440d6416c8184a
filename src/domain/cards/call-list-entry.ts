/** A call in a list, in one line: its name, its age, whose turn it is, and where it can be opened. */
import type { Call, CallStatus, CardPlace } from '../calls/call.ts';
import { isAnswerOnly, isConsumedByCaller } from '../calls/call-origin.ts';
import { isSamePerson, type Person } from '../people/person.ts';
import { type Sentence, sentence } from '../text/sentence.ts';
import { callTitle } from './call-name.ts';

/** What a list shows of a call. */
export interface CallListEntry {
  readonly call: Call;
  /** From an agent or a program: plain text, not markup. */
  readonly name: string;
  /** Since when it is as it is, in milliseconds. */
  readonly since: number;
  readonly turn: Sentence;
  /** Where the reader can open it; absent where they can't. */
  readonly place?: CardPlace | undefined;
  readonly isCard?: boolean | undefined;
}

/** Whose turn it is, as far as it is known. */
export interface PendingDeciders {
  /** The reader may decide it and has not yet. */
  readonly isReaders?: boolean;
  /** Those whose decision is missing, by name. */
  readonly missing?: Sentence | undefined;
}

/** Makes the line of a call that is not over. */
export function toWaitingEntry(call: Call, turns: PendingDeciders): CallListEntry {
  return {
    call,
    name: callTitle(call),
    since: call.createdAt,
    turn: describeWhoseTurn(call, turns),
  };
}

/** Makes the line of a call for a person who has decided on it. */
export function toDecidedEntry(call: Call, by: Person): CallListEntry {
  const did = describeOwnDecision(call, by);
  const stands = isOpen(call) ? describeWhoseTurn(call, {}) : (ENDS[call.status] ?? call.status);
  const turn = sentence`${did.words} · ${stands}`;
  return { call, name: callTitle(call), since: did.at, turn };
}

/** Makes the line of a call that is over. */
export function toEndedEntry(call: Call): CallListEntry {
  const { status, updatedAt: since, verdict } = call;
  const end = ENDS[status] ?? status;
  const who =
    verdict && sentence`${end} · ${VERDICTS[verdict.kind]} ${{ person: verdict.by.user }}`;
  return { call, name: callTitle(call), since, turn: who ?? end };
}

/** Says whose turn it is, in a few words. */
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
      return isConsumedByCaller(call) ? 'approved, not picked up yet' : 'approved, about to run';
    default:
      return ENDS[call.status] ?? call.status;
  }
}

function describePending(call: Call, { isReaders, missing }: PendingDeciders): Sentence {
  const what = isAnswerOnly(call) ? 'an answer' : 'a decision';
  const whose = isReaders ? 'your turn' : sentence`waiting for ${missing ?? what}`;
  return sentence`${whose}${describeCount(call)}`;
}

function describeRunning({ child, claim }: Call): Sentence {
  if (child !== undefined) return 'a helper is at work';
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

const DID = {
  approve: 'you approved',
  edit: 'you edited and approved',
  reply: 'you replied',
  ignore: 'you ignored',
  settle: 'you settled',
} as const;

/** What stands there of it: a later edit of another person takes an approval away. */
function describeOwnDecision(
  call: Call,
  by: Person,
): { readonly words: string; readonly at: number } {
  const { updatedAt, verdict, votes } = call;
  if (verdict && isSamePerson(verdict.by, by)) return { words: DID[verdict.kind], at: verdict.at };
  const vote = votes.find((each) => isSamePerson(each.by, by));
  if (vote) return { words: 'you approved', at: vote.at };
  const edited = call.editedBy && isSamePerson(call.editedBy, by);
  return { words: edited ? 'you edited' : 'you decided an earlier version', at: updatedAt };
}
