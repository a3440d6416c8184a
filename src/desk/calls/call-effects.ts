import type { AuditDraft } from '../../domain/audit/audit.ts';
import { type Call, type CallStatus, isTerminal } from '../../domain/calls/call.ts';
import { isAnswerOnly, isConsumedByCaller, isRunByGraph } from '../../domain/calls/call-origin.ts';
import { escalationDueAt, reminderDueAt } from '../../domain/calls/reminder-schedule.ts';
import type { Step } from '../../domain/calls/transitions.ts';
import { callTitlePart } from '../../domain/cards/call-name.ts';
import { isInOtherChannel } from '../../domain/cards/card-channel.ts';
import { mayShareCard } from '../../domain/cards/shared-card.ts';
import { isSamePerson, type Person } from '../../domain/people/person.ts';
import {
  advanceTurnKey,
  callbackKey,
  deliverOutboxKey,
  escalateKey,
  expireKey,
  remindKey,
  renderCardKey,
  runCallKey,
  type Wake,
} from '../../domain/ports/agenda.ts';
import type { Effects } from '../../domain/ports/store.ts';
import { maskingOfCall } from '../../domain/secrets/call-secrets.ts';
import { maskWholeText } from '../../domain/secrets/mask-secrets.ts';
import { sentence } from '../../domain/text/sentence.ts';
import { type OutboxMessage, toOutboxWords } from '../../domain/threads/outbox-message.ts';
import { isChannelItself, placeOf } from '../../domain/threads/thread-key.ts';
import { dueImmediately, isRecentCall } from './freshness.ts';

/** Whoever does a thing, as the audit names them. */
export function actorOf(person: Person | undefined): string {
  return person ? `${person.team}/${person.user}` : 'countersign';
}

/** What goes with the steps of a call: their audit entries, and the keys that have work now. */
export function callEffectsOf(
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
      // Whoever approves it does not run it.
      actor: actorOf(cause === 'claim' ? undefined : by),
      detail: {
        from: previous.status,
        to: call.status,
        tool: call.tool,
        attempt: call.attempt,
        digest: call.digest,
        ...reasonOf(cause, call),
        ...detail,
      },
    });
    previous = call;
  }
  const now = previous.updatedAt;
  const stopped = steps
    .filter(({ cause }) => cause === 'integrity')
    .map(({ call }) => stoppedNotice(call));
  const decided = steps.findLast(({ cause }) => cause !== 'claim')?.call ?? previous;
  const outboxMessages = [
    ...stopped,
    ...verdictNotices(before, decided, by),
    ...reopenedNotice(before, previous),
  ];
  const told = isReportable(before, steps) ? [{ key: callbackKey(before), dueAt: now }] : [];
  return {
    audit,
    wakes: [...wakesOf(before, previous), ...told, ...wakesOfSays(outboxMessages)],
    says: outboxMessages,
  };
}

/** Tells whether a program that wants to be told has to hear of the steps: they have moved its call, and are not its own doing. */
function isReportable(before: Call, steps: readonly Step[]): boolean {
  const last = steps.at(-1);
  if (last?.call.outside?.callbackUrl === undefined || !isConsumedByCaller(last.call)) return false;
  const { call, cause } = last;
  if (cause === 'claim' || cause === 'finish') return false;
  if (before.status === 'proposed' && call.status === 'pending') return false;
  return call.status !== before.status || (!before.outcome && call.outcome !== undefined);
}

/** The words of the person who approved it in this step, without the operator's secrets. A caller can't blank them by what it calls secret. */
function reasonOf(cause: Step['cause'], call: Call): { readonly reason?: string } {
  const isApproval = cause === 'vote' || cause === 'approve';
  const reason = isApproval ? call.votes.at(-1)?.reason : undefined;
  if (reason === undefined) return {};
  return { reason: maskWholeText(reason, maskingOfCall(call, undefined, { reveals: true })) };
}

const VERDICTS: Partial<Readonly<Record<CallStatus, string>>> = {
  approved: 'was approved.',
  replied: 'was answered instead of approved.',
  ignored: 'was ignored: nothing was run.',
  expired: 'has expired: nobody decided in time, and nothing was run.',
};

/** There was nothing to run. */
const ANSWERS: typeof VERDICTS = {
  replied: 'was answered.',
  ignored: 'was ignored.',
  expired: 'has expired: nobody answered in time.',
};

/** Whoever asked does not see the card where others decide; for whom a program asked is told in person, having no thread about it. */
function verdictNotices(
  before: Call,
  call: Call,
  by: Person | undefined,
): readonly OutboxMessage[] {
  const words = (isAnswerOnly(call) ? ANSWERS : VERDICTS)[call.status];
  const isTheirOwn = by !== undefined && isSamePerson(by, call.requester);
  if (before.status !== 'pending' || !words || isTheirOwn || !isInOtherChannel(call)) return [];
  const { outside, requester, thread, updatedAt: createdAt } = call;
  const id = `verdict:${call.id}.${call.revision}`;
  const what = callTitlePart(call);
  if (isChannelItself(placeOf(thread))) {
    const text = toOutboxWords(
      sentence`${what}, which “${outside?.name ?? ''}” asked for you, ${words}`,
    );
    return [{ id, thread, kind: 'private', to: requester, isDirect: true, ...text, createdAt }];
  }
  const mentions = { people: [requester], groups: [] };
  return [
    {
      id,
      thread,
      kind: 'notice',
      ...toOutboxWords(sentence`${what} ${words}`),
      mentions,
      createdAt,
    },
  ];
}

/** Tells the last approver that the call was not run after all. */
function reopenedNotice(before: Call, call: Call): readonly OutboxMessage[] {
  const { verdict } = before;
  if (before.status !== 'approved' || call.status !== 'pending' || !verdict) return [];
  const words = sentence`${callTitlePart(call)} has not run, and waits for a decision again. ${call.note ?? ''}`;
  return [
    {
      id: `back:${call.id}.${call.revision}`,
      thread: call.thread,
      kind: 'private',
      to: verdict.by,
      ...(isInOtherChannel(call) && { isDirect: true as const }),
      ...toOutboxWords(words),
      createdAt: call.updatedAt,
    },
  ];
}

/** The card says it too, but not every call has one. */
function stoppedNotice(call: Call): OutboxMessage {
  return {
    id: `integrity:${call.id}`,
    thread: call.thread,
    kind: 'notice',
    ...toOutboxWords(
      sentence`:rotating_light: I stopped ${callTitlePart(call)}: what I have stored of it is not what was shown, so I don’t run it. Please tell whoever runs me: somebody or something has changed my database.`,
    ),
    createdAt: call.updatedAt,
  };
}

function wakesOfSays(says: readonly OutboxMessage[]): readonly Wake[] {
  return says.map(({ thread, createdAt }) => ({ key: deliverOutboxKey(thread), dueAt: createdAt }));
}

/** A run has a time of its own, but for one that whoever took the call has to tell of. */
function expireAt(call: Call): number | undefined {
  const isRun = call.status === 'running' && !isConsumedByCaller(call);
  return isTerminal(call) || isRun ? undefined : call.deadlineAt;
}

/** It is claimed by the work that runs it, or by the decision that has approved it. */
function isToRun(before: Call, call: Call): boolean {
  if (isConsumedByCaller(call)) return false;
  const isJustClaimed = call.status === 'running' && before.status === 'pending';
  return call.status === 'approved' || isJustClaimed;
}

/** What became unknown runs no more: whoever waited for its end can go on. A graph that runs its own tools goes on from the claim. */
function advancesThread(call: Call): boolean {
  if (isConsumedByCaller(call)) return false;
  const isOver = call.outcome !== undefined || call.status === 'unknown';
  return isOver || (call.status === 'running' && isRunByGraph(call));
}

function wakesOf(before: Call, call: Call): readonly Wake[] {
  const now = dueImmediately(isRecentCall(call, call.updatedAt), call.updatedAt);
  const wakes: Wake[] = [];
  // Calls that may share a card are first shown together, once all of their message have been asked about.
  const isShownLater = before.status === 'proposed' && mayShareCard(call);
  if (call.route && !isShownLater) wakes.push({ key: renderCardKey(call), dueAt: now });
  if (isToRun(before, call)) wakes.push({ key: runCallKey(call), dueAt: now });
  const expireDue = expireAt(call);
  if (expireDue !== undefined) wakes.push({ key: expireKey(call), dueAt: expireDue });
  const remindDue = reminderDueAt(call);
  if (remindDue !== undefined) wakes.push({ key: remindKey(call), dueAt: remindDue });
  const escalateDue = escalationDueAt(call);
  if (escalateDue !== undefined) wakes.push({ key: escalateKey(call), dueAt: escalateDue });
  if (advancesThread(call)) {
    wakes.push({ key: advanceTurnKey(call.thread), dueAt: now });
  }
  // A helper ends with the call that it works for.
  if (call.child && isTerminal(call)) wakes.push({ key: advanceTurnKey(call.child), dueAt: now });
  return wakes;
}
