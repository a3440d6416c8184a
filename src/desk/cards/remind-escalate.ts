/** Reminder and escalation of a call that nobody decides before its deadline. */

import type { Call, CardPlace } from '../../domain/calls/call.ts';
import { behaviourOf } from '../../domain/calls/call-origin.ts';
import type { Step } from '../../domain/calls/transitions.ts';
import { toWaitingEntry } from '../../domain/cards/call-list-entry.ts';
import { callTitlePart } from '../../domain/cards/call-name.ts';
import {
  isInOtherChannel,
  type MentionTarget,
  mustMoveCard,
} from '../../domain/cards/card-channel.ts';
import { isGroup, isSamePerson } from '../../domain/people/person.ts';
import {
  type AgendaKey,
  type CallRef,
  deliverOutboxKey,
  escalateKey,
  remindKey,
} from '../../domain/ports/agenda.ts';
import {
  escalateCall,
  escalationDueAt,
  missingApprovers,
  recordReminder,
  reminderDueAt,
} from '../../domain/rules/reminder-schedule.ts';
import { type Sentence, sentence } from '../../domain/text/sentence.ts';
import {
  type Mentions,
  type OutboxMessage,
  toOutboxWords,
} from '../../domain/threads/outbox-message.ts';
import {
  isChannelItself,
  placeOf,
  type ThreadKey,
  threadKey,
} from '../../domain/threads/thread-key.ts';
import { commitSteps } from '../calls/advance-call.ts';
import { callEffectsOf } from '../calls/call-effects.ts';
import type { DeskDeps } from '../deps.ts';
import type { AnnouncementOccasion, Announcements } from './announcements.ts';
import { readCardCalls } from './stored-cards.ts';

type RemindEscalateDeps = Pick<DeskDeps, 'store' | 'clock'>;

/** Builds the use case: reminds, once, the people who have not decided a pending call. */
export function createRemind(deps: RemindEscalateDeps, announce: Announcements) {
  return whenDue(deps, announce, {
    occasion: 'remind',
    keyOf: remindKey,
    dueAt: reminderDueAt,
    stepOf: recordReminder,
    noticeOf: (call, more) => ({
      id: reminderId(call),
      words: sentence`Still open: ${describeLine(call, more)}`,
    }),
  });
}

/**
 * Builds the use case: moves a pending call to the next route, and mentions those who may decide
 * now.
 */
export function createEscalate(deps: RemindEscalateDeps, announce: Announcements) {
  return whenDue(deps, announce, {
    occasion: 'escalate',
    keyOf: escalateKey,
    dueAt: escalationDueAt,
    stepOf: escalateCall,
    noticeOf: (call, more) => ({
      id: `escalation:${call.route?.name}:${routeStageOf(call)}`,
      words: sentence`Nobody ${behaviourOf(call).asksFor === 'text' ? 'answered' : 'decided'} in time: ${describeLine(call, more)}. ${more === 0 ? 'It has' : 'They have'} been escalated to the route “${call.route?.name ?? ''}”.`,
    }),
  });
}

/**
 * The call as in every list, plus the number of other calls waiting on its card. The mentions show
 * whose turn it is.
 */
function describeLine(call: Call, more: number): Sentence {
  const { since, turn } = toWaitingEntry(call, {});
  const others = more === 1 ? ' and another call' : ` and ${more} other calls`;
  const names = sentence`${callTitlePart(call)}${more === 0 ? '' : `${others} on its card`}`;
  return sentence`${names} · ${{ ago: since }} · ${turn}`;
}

function reminderId(call: Call): string {
  return `reminder:${routeStageOf(call)}`;
}

/**
 * The message that replaces a call's reminder once nobody has to decide it; `card` is the call's
 * last card.
 */
export function reminderOverMessage(
  call: Call,
  remindedAt: number,
  card: CardPlace | undefined,
): OutboxMessage {
  return {
    id: `reminder-over:${routeStageOf(call)}`,
    thread: noticeThreadOf(call, card),
    kind: 'notice',
    ...toOutboxWords(sentence`No longer open: ${callTitlePart(call)}`),
    createdAt: call.updatedAt,
    replaces: { id: reminderId(call), createdAt: remindedAt },
  };
}

function routeStageOf({ id, route, pendingSince }: Call): string {
  return `${id}:${route?.name}:${pendingSince}`;
}

/** The timing, step and message of a reminder or an escalation. */
interface Nudge {
  readonly occasion: AnnouncementOccasion;
  readonly keyOf: (call: CallRef) => AgendaKey;
  readonly dueAt: (call: Call) => number | undefined;
  readonly stepOf: (call: Call, now: number) => Step | undefined;
  /** The message for a call and `more` other calls waiting with it. */
  readonly noticeOf: (
    call: Call,
    more: number,
  ) => { readonly id: string; readonly words: Sentence };
}

/** Takes the step once it is due, with one notice. Retries if another writer was first. */
function whenDue({ store, clock }: RemindEscalateDeps, announce: Announcements, nudge: Nudge) {
  const { dueAt, keyOf, stepOf } = nudge;

  async function commitStep(call: Call, step: Step): Promise<boolean> {
    const { wakes } = callEffectsOf(call, [step], undefined);
    const outboxMessage = await noticeFor({ store, announce, nudge }, call, step.call);
    const outboxMessages = outboxMessage ? [outboxMessage] : [];
    const deliveryWakes = outboxMessages.map(({ thread, createdAt }) => ({
      key: deliverOutboxKey(thread),
      dueAt: createdAt,
    }));
    const effects = { wakes: [...wakes, ...deliveryWakes], outboxMessages };
    return await commitSteps({ store }, call, [step], { effects });
  }

  async function stepNow(call: Call): Promise<Step | undefined> {
    // Decided before it was announced: remove it from the digest message unless other calls of its card
    // are pending.
    if (call.status !== 'pending' && !(await isCardOpen(store, call)))
      await announce.unregister(call);
    const now = clock.now();
    if (isDue(call, dueAt(call), now)) return stepOf(call, now);
    // The agenda keeps the earlier of two times, so a postponed one is scheduled again.
    const at = dueAt(call);
    if (at !== undefined && at > now) await store.agenda.wake([{ key: keyOf(call), dueAt: at }]);
    return undefined;
  }

  return async function remindOrEscalate(callId: string): Promise<void> {
    for (;;) {
      const call = await store.ledger.get(callId);
      const step = call && (await stepNow(call));
      if (!step || (await commitStep(call, step))) return;
    }
  };
}

/** From its deadline on a call only expires. */
function isDue(call: Call, at: number | undefined, now: number): boolean {
  return at !== undefined && now >= at && now < (call.deadlineAt ?? Number.POSITIVE_INFINITY);
}

/**
 * One notice where the card is, for all of its calls. A card that moves mentions people itself; a
 * digest message does so for many calls.
 */
async function noticeFor(
  deps: Pick<RemindEscalateDeps, 'store'> & {
    readonly announce: Announcements;
    readonly nudge: Nudge;
  },
  before: Call,
  call: Call,
): Promise<OutboxMessage | undefined> {
  const { store, announce, nudge } = deps;
  const more = await countBeside(store, before, call);
  if (more === undefined) return undefined;
  const card = await store.ledger.cardOf(call.id);
  const isMoving = card !== undefined && mustMoveCard(call, card);
  const plan = isMoving ? undefined : await announce.register(call, nudge.occasion);
  if (plan?.digestMessage !== undefined && plan.calls.length === 0) return undefined;
  const { id, words } = nudge.noticeOf(call, more);
  return {
    id,
    thread: noticeThreadOf(call, card),
    kind: 'notice',
    ...toOutboxWords(words),
    ...(isMoving ? {} : { mentions: mentionsOf(plan?.calls ?? [], call) }),
    createdAt: call.updatedAt,
  };
}

/**
 * Counts the other calls waiting on the card, before or after the step. Undefined if an earlier
 * one of them sends the notice for all.
 */
async function countBeside(
  store: RemindEscalateDeps['store'],
  before: Call,
  after: Call,
): Promise<number | undefined> {
  const cards = await Promise.all([before, after].map((call) => readCardCalls(store, call)));
  const beside = new Map(cards.flat().map((call) => [call.id, call]));
  beside.delete(before.id);
  const waiting = [...beside.values()].filter((call) => isAskedWith(call, [before, after]));
  const isCovered = waiting.some(({ position }) => position < before.position);
  return isCovered ? undefined : waiting.length;
}

async function isCardOpen(store: RemindEscalateDeps['store'], call: Call): Promise<boolean> {
  const calls = await readCardCalls(store, call);
  return calls.some(({ status }) => status === 'pending');
}

/** Calls asked about later get their own reminder. */
const TOGETHER_MS = 60_000;

function isAskedWith({ pendingSince = 0, status }: Call, calls: readonly Call[]): boolean {
  const isNear = (since = 0) => Math.abs(since - pendingSince) < TOGETHER_MS;
  return status === 'pending' && calls.some((call) => isNear(call.pendingSince));
}

/**
 * Below the card if that stays in another channel, or if the call has no thread. Otherwise in the
 * call's thread.
 */
function noticeThreadOf(call: Call, card: CardPlace | undefined): ThreadKey {
  const hasNoThread = isChannelItself(placeOf(call.thread));
  const isAside = card && (hasNoThread || (isInOtherChannel(call) && !mustMoveCard(call, card)));
  return isAside ? threadKey({ team: call.requester.team, ...card }) : call.thread;
}

/** Includes the requester: a notice mentions them like everybody else. */
function mentionsOf(calls: readonly MentionTarget[], call: Call): Mentions {
  const named = missingApprovers(call).people.filter(
    (person) => isSamePerson(person, call.requester) || calls.includes(`user:${person.user}`),
  );
  return { people: named, groups: calls.filter((each) => isGroup(each)) };
}
