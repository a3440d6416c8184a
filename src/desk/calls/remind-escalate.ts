/** What the clock does to a call that nobody decides, before its deadline: a reminder, and the way to others. */

import type { Call, CardPlace } from '../../domain/calls/call.ts';
import { isAnswerOnly } from '../../domain/calls/call-origin.ts';
import {
  escalateCall,
  escalationDueAt,
  missingApprovers,
  recordReminder,
  reminderDueAt,
} from '../../domain/calls/reminder-schedule.ts';
import type { Step } from '../../domain/calls/transitions.ts';
import { toWaitingEntry } from '../../domain/cards/call-list-entry.ts';
import { callTitlePart } from '../../domain/cards/call-name.ts';
import {
  isInOtherChannel,
  type MentionTarget,
  mustMoveCard,
} from '../../domain/cards/card-channel.ts';
import { isGroup } from '../../domain/people/decision-permission.ts';
import { isSamePerson } from '../../domain/people/person.ts';
import {
  type AgendaKey,
  type CallRef,
  deliverOutboxKey,
  escalateKey,
  remindKey,
} from '../../domain/ports/agenda.ts';
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
import type { AnnouncementOccasion, Announcements } from '../cards/announcements.ts';
import { readCardCalls } from '../cards/stored-cards.ts';
import type { DeskDeps } from '../deps.ts';
import { commitSteps } from './advance-call.ts';
import { callEffectsOf } from './call-effects.ts';

type RemindEscalateDeps = Pick<DeskDeps, 'store' | 'clock'>;

/** Builds the use case: reminds those who have not decided a pending call, once. */
export function createRemind(deps: RemindEscalateDeps, announce: Announcements) {
  return whenDue(deps, announce, {
    occasion: 'remind',
    keyOf: remindKey,
    dueAt: reminderDueAt,
    stepOf: recordReminder,
    sayOf: (call, more) => ({
      id: reminderId(call),
      words: sentence`Still open: ${describeLine(call, more)}`,
    }),
  });
}

/** Builds the use case: hands a pending call to the route that comes after its own, and calls those who may decide now. */
export function createEscalate(deps: RemindEscalateDeps, announce: Announcements) {
  return whenDue(deps, announce, {
    occasion: 'escalate',
    keyOf: escalateKey,
    dueAt: escalationDueAt,
    stepOf: escalateCall,
    sayOf: (call, more) => ({
      id: `escalation:${call.route?.name}:${ofRoute(call)}`,
      words: sentence`Nobody has ${isAnswerOnly(call) ? 'answered' : 'decided'} in time: ${describeLine(call, more)}. ${more === 0 ? 'It is' : 'They are'} now with the route “${call.route?.name ?? ''}”.`,
    }),
  });
}

/** As in every list, with how many others wait with it; whose turn it is, those who are called see. */
function describeLine(call: Call, more: number): Sentence {
  const { since, turn } = toWaitingEntry(call, {});
  const others = more === 1 ? ' and another call' : ` and ${more} other calls`;
  const names = sentence`${callTitlePart(call)}${more === 0 ? '' : `${others} on its card`}`;
  return sentence`${names} · ${{ ago: since }} · ${turn}`;
}

function reminderId(call: Call): string {
  return `reminder:${ofRoute(call)}`;
}

/** What becomes of a call's reminder once nobody has to decide it; `card` is where the call was shown last. */
export function reminderOverMessage(
  call: Call,
  remindedAt: number,
  card: CardPlace | undefined,
): OutboxMessage {
  return {
    id: `reminder-over:${ofRoute(call)}`,
    thread: threadOfWords(call, card),
    kind: 'notice',
    ...toOutboxWords(sentence`No longer open: ${callTitlePart(call)}`),
    createdAt: call.updatedAt,
    replaces: { id: reminderId(call), createdAt: remindedAt },
  };
}

function ofRoute({ id, route, pendingSince }: Call): string {
  return `${id}:${route?.name}:${pendingSince}`;
}

/** What the clock does to a call, and the words that go with it. */
interface Pressing {
  readonly occasion: AnnouncementOccasion;
  readonly keyOf: (call: CallRef) => AgendaKey;
  readonly dueAt: (call: Call) => number | undefined;
  readonly stepOf: (call: Call, now: number) => Step | undefined;
  /** The words for a call and so many others that wait with it. */
  readonly sayOf: (call: Call, more: number) => { readonly id: string; readonly words: Sentence };
}

/** Takes the step when its time has come, with words that are said once; the call is read again until it stands. */
function whenDue(
  { store, clock }: RemindEscalateDeps,
  announce: Announcements,
  pressing: Pressing,
) {
  const { dueAt, keyOf, stepOf } = pressing;

  /** At its deadline a call expires, whichever of the two is looked at first. */
  function isDue(call: Call, now: number): boolean {
    const at = dueAt(call);
    return at !== undefined && now >= at && now < (call.deadlineAt ?? Number.POSITIVE_INFINITY);
  }

  /** How many calls wait on a card with this one, before the step and after it; undefined where an earlier one of them speaks for all. */
  async function countBeside(before: Call, after: Call): Promise<number | undefined> {
    const cards = await Promise.all([before, after].map((call) => readCardCalls(store, call)));
    const beside = new Map(cards.flat().map((call) => [call.id, call]));
    beside.delete(before.id);
    const waiting = [...beside.values()].filter((call) => isAskedWith(call, [before, after]));
    const isSpokenFor = waiting.some(({ position }) => position < before.position);
    return isSpokenFor ? undefined : waiting.length;
  }

  /** It is said where the card stands, once for all of its calls; a card that goes on calls its people itself, and a bulletin those of many calls. */
  async function wordsOn(before: Call, call: Call): Promise<OutboxMessage | undefined> {
    const more = await countBeside(before, call);
    if (more === undefined) return undefined;
    const card = await store.ledger.cardOf(call.id);
    const goesOn = card !== undefined && mustMoveCard(call, card);
    const welcome = goesOn ? undefined : await announce.arrive(call, pressing.occasion);
    if (welcome?.bulletin !== undefined && welcome.calls.length === 0) return undefined;
    const { id, words } = pressing.sayOf(call, more);
    return {
      id,
      thread: threadOfWords(call, card),
      kind: 'notice',
      ...toOutboxWords(words),
      ...(goesOn ? {} : { mentions: mentionsOf(welcome?.calls ?? [], call) }),
      createdAt: call.updatedAt,
    };
  }

  async function take(call: Call, step: Step): Promise<boolean> {
    const { wakes } = callEffectsOf(call, [step], undefined);
    const outboxMessage = await wordsOn(call, step.call);
    const outboxMessages = outboxMessage ? [outboxMessage] : [];
    const deliveryWakes = outboxMessages.map(({ thread, createdAt }) => ({
      key: deliverOutboxKey(thread),
      dueAt: createdAt,
    }));
    const effects = { wakes: [...wakes, ...deliveryWakes], says: outboxMessages };
    return await commitSteps({ store }, call, [step], { effects });
  }

  async function isCardOpen(call: Call): Promise<boolean> {
    const calls = await readCardCalls(store, call);
    return calls.some(({ status }) => status === 'pending');
  }

  async function stepNow(call: Call): Promise<Step | undefined> {
    // Decided while it was to be announced: no bulletin speaks for it, unless others of its card wait.
    if (call.status !== 'pending' && !(await isCardOpen(call))) await announce.leave(call);
    const now = clock.now();
    if (isDue(call, now)) return stepOf(call, now);
    // The agenda keeps the earlier of two times: one that was put off is named again.
    const at = dueAt(call);
    if (at !== undefined && at > now) await store.agenda.wake([{ key: keyOf(call), dueAt: at }]);
    return undefined;
  }

  return async function pressOn(callId: string): Promise<void> {
    for (;;) {
      const call = await store.ledger.get(callId);
      const step = call && (await stepNow(call));
      if (!step || (await take(call, step))) return;
    }
  };
}

/** Calls asked about later get their own reminder. */
const TOGETHER_MS = 60_000;

function isAskedWith({ pendingSince = 0, status }: Call, calls: readonly Call[]): boolean {
  const isNear = (since = 0) => Math.abs(since - pendingSince) < TOGETHER_MS;
  return status === 'pending' && calls.some((call) => isNear(call.pendingSince));
}

/** Below the card where that stands elsewhere and stays; without a thread of its own, below the card that there is. */
function threadOfWords(call: Call, card: CardPlace | undefined): ThreadKey {
  const hasNoThread = isChannelItself(placeOf(call.thread));
  const isAside = card && (hasNoThread || (isInOtherChannel(call) && !mustMoveCard(call, card)));
  return isAside ? threadKey({ team: call.requester.team, ...card }) : call.thread;
}

/** The requester is among them here: in a notice they are called like everybody else. */
function mentionsOf(calls: readonly MentionTarget[], call: Call): Mentions {
  const named = missingApprovers(call).people.filter(
    (person) => isSamePerson(person, call.requester) || calls.includes(`user:${person.user}`),
  );
  return { people: named, groups: calls.filter((each) => isGroup(each)) };
}
