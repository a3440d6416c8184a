import type { AuditDraft } from '../../domain/audit/audit.ts';
import { type Call, type CallStatus, isTerminal } from '../../domain/calls/call.ts';
import { behaviourOf } from '../../domain/calls/call-origin.ts';
import { maskingOfCall } from '../../domain/calls/call-secrets.ts';
import type { Step } from '../../domain/calls/transitions.ts';
import { callTitlePart } from '../../domain/cards/call-name.ts';
import { isInOtherChannel } from '../../domain/cards/card-channel.ts';
import { mayShareCard } from '../../domain/cards/shared-card.ts';
import { isSamePerson, type Person } from '../../domain/people/person.ts';
import {
  type AgendaKey,
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
import { escalationDueAt, reminderDueAt } from '../../domain/rules/reminder-schedule.ts';
import { maskWholeText } from '../../domain/secrets/mask-secrets.ts';
import { sentence } from '../../domain/text/sentence.ts';
import { type OutboxMessage, toOutboxWords } from '../../domain/threads/outbox-message.ts';
import { isChannelItself, placeOf } from '../../domain/threads/thread-key.ts';
import { dueImmediately, isRecentCall } from './freshness.ts';

/** The audit's name for the actor of an event. */
export function actorOf(person: Person | undefined): string {
  return person ? `${person.team}/${person.user}` : 'countersign';
}

/** The effects of a call's steps: audit entries, outbox messages, and the tasks that are due. */
export function callEffectsOf(
  before: Call,
  steps: readonly Step[],
  by: Person | undefined,
): Required<Pick<Effects, 'audit' | 'wakes' | 'cancels' | 'outboxMessages'>> {
  const audit: AuditDraft[] = [];
  let previous = before;
  for (const { cause, call, detail } of steps) {
    audit.push({
      at: call.updatedAt,
      event: `call.${cause}`,
      subject: call.id,
      // The claim is made by the app, not by the approver.
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
  const integrityNotices = steps
    .filter(({ cause }) => cause === 'integrity')
    .map(({ call }) => integrityNotice(call));
  const decided = steps.findLast(({ cause }) => cause !== 'claim')?.call ?? previous;
  const outboxMessages = [
    ...integrityNotices,
    ...verdictNotices(before, decided, by),
    ...reopenedNotice(before, previous),
  ];
  const callbackWakes = isReportable(before, steps)
    ? [{ key: callbackKey(before), dueAt: now }]
    : [];
  return {
    audit,
    wakes: [...wakesOf(before, previous), ...callbackWakes, ...deliveryWakes(outboxMessages)],
    cancels: cancelledTimers(before, previous),
    outboxMessages,
  };
}

/**
 * True if the caller's callback must be sent: the steps moved its call, and the caller did not do
 * it itself.
 */
function isReportable(before: Call, steps: readonly Step[]): boolean {
  const last = steps.at(-1);
  if (
    last?.call.outside?.callbackUrl === undefined ||
    behaviourOf(last.call).reportsTo !== 'caller'
  )
    return false;
  const { call, cause } = last;
  if (cause === 'claim' || cause === 'finish') return false;
  if (before.status === 'proposed' && call.status === 'pending') return false;
  return call.status !== before.status || (!before.outcome && call.outcome !== undefined);
}

/**
 * The approver's reason, with the operator's secrets masked. The caller's own secret paths do not
 * apply here.
 */
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

/** For questions: there was nothing to run. */
const ANSWERS: typeof VERDICTS = {
  replied: 'was answered.',
  ignored: 'was ignored.',
  expired: 'has expired: nobody answered in time.',
};

/**
 * Tells the requester the verdict when the card is in another channel. A call from a program has no
 * thread, so its requester gets a direct message.
 */
function verdictNotices(
  before: Call,
  call: Call,
  by: Person | undefined,
): readonly OutboxMessage[] {
  const words = (behaviourOf(call).asksFor === 'text' ? ANSWERS : VERDICTS)[call.status];
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

/** Tells the last approver that the call did not run and needs a new decision. */
function reopenedNotice(before: Call, call: Call): readonly OutboxMessage[] {
  const { verdict } = before;
  if (before.status !== 'approved' || call.status !== 'pending' || !verdict) return [];
  const words = sentence`${callTitlePart(call)} did not run and needs a new decision. ${call.note ?? ''}`;
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

/** The card says so too, but not every call has one. */
function integrityNotice(call: Call): OutboxMessage {
  return {
    id: `integrity:${call.id}`,
    thread: call.thread,
    kind: 'notice',
    ...toOutboxWords(
      sentence`:rotating_light: I stopped ${callTitlePart(call)}: the stored call is not the one that was shown, so I won’t run it. Please tell the person who runs this app: something has changed its database.`,
    ),
    createdAt: call.updatedAt,
  };
}

function deliveryWakes(messages: readonly OutboxMessage[]): readonly Wake[] {
  return messages.map(({ thread, createdAt }) => ({
    key: deliverOutboxKey(thread),
    dueAt: createdAt,
  }));
}

/**
 * Running calls have their own timeout. Calls that a program runs keep the deadline, because the
 * program must report the end.
 */
function expireAt(call: Call): number | undefined {
  const isRun = call.status === 'running' && behaviourOf(call).runBy !== 'caller';
  return isTerminal(call) || isRun ? undefined : call.deadlineAt;
}

/** Either claimed later by the executor, or already claimed by the decision that approved it. */
function isToRun(before: Call, call: Call): boolean {
  if (behaviourOf(call).runBy === 'caller') return false;
  const isJustClaimed = call.status === 'running' && before.status === 'pending';
  return call.status === 'approved' || isJustClaimed;
}

/**
 * A call with an unknown outcome no longer blocks its thread. A graph that runs its own tools
 * continues from the claim.
 */
function advancesThread(call: Call): boolean {
  if (behaviourOf(call).reportsTo === 'caller') return false;
  const isOver = call.outcome !== undefined || call.status === 'unknown';
  return isOver || (call.status === 'running' && behaviourOf(call).runBy === 'graph');
}

/** The deadline, the reminder and the escalation of a call, as far as it has them now. */
function timersOf(call: Call): readonly Wake[] {
  const timers = [
    { key: expireKey(call), dueAt: expireAt(call) },
    { key: remindKey(call), dueAt: reminderDueAt(call) },
    { key: escalateKey(call), dueAt: escalationDueAt(call) },
  ];
  return timers.flatMap(({ dueAt, key }) => (dueAt === undefined ? [] : { key, dueAt }));
}

/** Timers that the call no longer has. */
function cancelledTimers(before: Call, call: Call): readonly AgendaKey[] {
  const left = new Set(timersOf(call).map(({ key }) => key.task));
  return timersOf(before).flatMap(({ key }) => (left.has(key.task) ? [] : key));
}

function wakesOf(before: Call, call: Call): readonly Wake[] {
  const now = dueImmediately(isRecentCall(call, call.updatedAt), call.updatedAt);
  const wakes: Wake[] = [];
  // Calls that may share a card are first shown together, once the policy has ruled on all of them.
  const isShownLater = before.status === 'proposed' && mayShareCard(call);
  if (call.route && !isShownLater) wakes.push({ key: renderCardKey(call), dueAt: now });
  if (isToRun(before, call)) wakes.push({ key: runCallKey(call), dueAt: now });
  wakes.push(...timersOf(call));
  if (advancesThread(call)) {
    wakes.push({ key: advanceTurnKey(call.thread), dueAt: now });
  }
  // A helper ends with the call that started it.
  if (call.child && isTerminal(call)) wakes.push({ key: advanceTurnKey(call.child), dueAt: now });
  return wakes;
}
