import {
  escalateKey,
  expireKey,
  pumpKey,
  redrawKey,
  remindKey,
  runKey,
  sayKey,
  type Wake,
} from '../domain/agenda.ts';
import type { AuditDraft } from '../domain/audit.ts';
import { type Call, type CallStatus, isTerminal } from '../domain/call.ts';
import { isElsewhere } from '../domain/card-home.ts';
import { shortDigest } from '../domain/digest.ts';
import { isHanded, isTaken } from '../domain/outside.ts';
import { escalateAt, remindAt } from '../domain/patience.ts';
import { isSamePerson, type Person } from '../domain/person.ts';
import { type Effects, inWords, type Say } from '../domain/store.ts';
import type { Step } from '../domain/transitions.ts';
import { dueNow, isFreshCall } from './freshness.ts';

/** Whoever does a thing, as the audit names them. */
export function actorOf(person: Person | undefined): string {
  return person ? `${person.team}/${person.user}` : 'countersign';
}

/** What goes with the steps of a call: their audit entries, and the keys that have work now. */
export function effectsOf(
  before: Call,
  steps: readonly Step[],
  by: Person | undefined,
): Required<Pick<Effects, 'audit' | 'wakes' | 'says'>> {
  const audit: AuditDraft[] = [];
  let previous = before;
  for (const { cause, call, detail } of steps) {
    audit.push({
      at: call.updatedAt,
      event: `call.${cause}`,
      subject: call.id,
      actor: actorOf(by),
      detail: {
        from: previous.status,
        to: call.status,
        tool: call.tool,
        attempt: call.attempt,
        digest: shortDigest(call.digest),
        ...reasonOf(cause, call),
        ...detail,
      },
    });
    previous = call;
  }
  const stopped = steps
    .filter(({ cause }) => cause === 'integrity')
    .map(({ call }) => sayStopped(call));
  const says = [...stopped, ...sayVerdict(before, previous, by)];
  return { audit, wakes: [...wakesOf(previous), ...wakesOfSays(says)], says };
}

/** The words of the person who approved it in this step. */
function reasonOf(cause: Step['cause'], { votes }: Call): { readonly reason?: string } {
  const reason = cause === 'vote' || cause === 'approve' ? votes.at(-1)?.reason : undefined;
  return reason === undefined ? {} : { reason };
}

const VERDICTS: Partial<Readonly<Record<CallStatus, string>>> = {
  approved: 'was approved.',
  replied: 'was answered instead of approved.',
  ignored: 'was ignored: nothing was run.',
  expired: 'has expired: nobody decided in time, and nothing was run.',
};

/** Whoever asked does not see the card where others decide. */
function sayVerdict(before: Call, call: Call, by: Person | undefined): readonly Say[] {
  const words = VERDICTS[call.status];
  const isTheirOwn = by !== undefined && isSamePerson(by, call.requester);
  if (before.status !== 'pending' || !words || isTheirOwn || !isElsewhere(call)) return [];
  return [
    {
      id: `verdict:${call.id}.${call.revision}`,
      thread: call.thread,
      kind: 'notice',
      ...inWords(`“${call.tool}” (call ${shortDigest(call.digest)}) ${words}`),
      mentions: { people: [call.requester], groups: [] },
      createdAt: call.updatedAt,
    },
  ];
}

/** The card says it too, but not every call has one. */
function sayStopped(call: Call): Say {
  return {
    id: `integrity:${call.id}`,
    thread: call.thread,
    kind: 'notice',
    text: `:rotating_light: I stopped *${call.tool}* (call \`${shortDigest(call.digest)}\`): what I have stored of it is not what was shown. Nothing was run with it. Please tell whoever runs me: somebody or something has changed my database.`,
    createdAt: call.updatedAt,
  };
}

function wakesOfSays(says: readonly Say[]): readonly Wake[] {
  return says.map(({ thread, createdAt }) => ({ key: sayKey(thread), dueAt: createdAt }));
}

/** A run has a time of its own, but for one that whoever took the call has to tell of. */
function expireAt(call: Call): number | undefined {
  const isRun = call.status === 'running' && !isTaken(call);
  return isTerminal(call) || isRun ? undefined : call.deadlineAt;
}

/** What became unknown runs no more: whoever waited for its end can go on. A graph that runs its own tools goes on from the claim. */
function movesThread(call: Call): boolean {
  if (isTaken(call)) return false;
  const isOver = call.outcome !== undefined || call.status === 'unknown';
  return isOver || (call.status === 'running' && isHanded(call));
}

function wakesOf(call: Call): readonly Wake[] {
  const now = dueNow(isFreshCall(call, call.updatedAt), call.updatedAt);
  const wakes: Wake[] = [];
  if (call.route) wakes.push({ key: redrawKey(call.id), dueAt: now });
  if (call.status === 'approved' && !isTaken(call))
    wakes.push({ key: runKey(call.id), dueAt: now });
  const expireDue = expireAt(call);
  if (expireDue !== undefined) wakes.push({ key: expireKey(call.id), dueAt: expireDue });
  const remindDue = remindAt(call);
  if (remindDue !== undefined) wakes.push({ key: remindKey(call.id), dueAt: remindDue });
  const escalateDue = escalateAt(call);
  if (escalateDue !== undefined) wakes.push({ key: escalateKey(call.id), dueAt: escalateDue });
  if (movesThread(call)) {
    wakes.push({ key: pumpKey(call.thread), dueAt: now });
  }
  // A helper ends with the call that it works for.
  if (call.child && isTerminal(call)) wakes.push({ key: pumpKey(call.child), dueAt: now });
  return wakes;
}
