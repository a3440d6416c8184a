/** What the clock does to a call that nobody decides, before its deadline: a reminder, and the way to others. */
import { sayKey } from '../domain/agenda.ts';
import type { Call, CardPlace } from '../domain/call.ts';
import { type Called, hasToMove, isElsewhere } from '../domain/card-home.ts';
import { shortDigest } from '../domain/digest.ts';
import { isQuestion } from '../domain/outside.ts';
import { escalate, escalateAt, missingApprovers, remind, remindAt } from '../domain/patience.ts';
import { isGroup } from '../domain/permit.ts';
import { isSamePerson } from '../domain/person.ts';
import type { Sentence } from '../domain/sentence.ts';
import { inWords, type Mentions, type Say } from '../domain/store.ts';
import { isChannelItself, placeOf, type ThreadKey, threadKey } from '../domain/thread-key.ts';
import type { Step } from '../domain/transitions.ts';
import type { Announce, Occasion } from './announce.ts';
import type { DeskDeps } from './deps.ts';
import { effectsOf } from './effects.ts';

type PressOnDeps = Pick<DeskDeps, 'store' | 'clock'>;

/** Builds the use case: reminds those who have not decided a pending call, once. */
export function createRemind(deps: PressOnDeps, announce: Announce) {
  return whenDue(deps, announce, {
    occasion: 'remind',
    dueAt: remindAt,
    stepOf: remind,
    sayOf: (call) => ({
      id: `reminder:${ofRoute(call)}`,
      words: `“${call.tool}” (call ${shortDigest(call.digest)}) still waits for ${isQuestion(call) ? 'an answer' : 'a decision'}.`,
    }),
  });
}

/** Builds the use case: hands a pending call to the route that comes after its own, and calls those who may decide now. */
export function createEscalate(deps: PressOnDeps, announce: Announce) {
  return whenDue(deps, announce, {
    occasion: 'escalate',
    dueAt: escalateAt,
    stepOf: escalate,
    sayOf: (call) => ({
      id: `escalation:${call.route?.name}:${ofRoute(call)}`,
      words: `Nobody has ${isQuestion(call) ? 'answered' : 'decided on'} “${call.tool}” (call ${shortDigest(call.digest)}) in time. From now on it is for the route “${call.route?.name}”.`,
    }),
  });
}

function ofRoute({ id, route, pendingSince }: Call): string {
  return `${id}:${route?.name}:${pendingSince}`;
}

/** What the clock does to a call, and the words that go with it. */
interface Pressing {
  readonly occasion: Occasion;
  readonly dueAt: (call: Call) => number | undefined;
  readonly stepOf: (call: Call, now: number) => Step | undefined;
  readonly sayOf: (call: Call) => { readonly id: string; readonly words: Sentence };
}

/** Takes the step when its time has come, with words that are said once; the call is read again until it stands. */
function whenDue({ store, clock }: PressOnDeps, announce: Announce, pressing: Pressing) {
  const { dueAt, stepOf } = pressing;

  /** At its deadline a call expires, whichever of the two is looked at first. */
  function isDue(call: Call, now: number): boolean {
    const at = dueAt(call);
    return at !== undefined && now >= at && now < (call.deadlineAt ?? Number.POSITIVE_INFINITY);
  }

  /** It is said where the card stands; a card that goes on calls its people itself, and a bulletin those of many calls. */
  async function wordsOn(call: Call): Promise<Say | undefined> {
    const card = await store.ledger.cardOf(call.id);
    const goesOn = card !== undefined && hasToMove(call, card);
    const welcome = goesOn ? undefined : await announce.arrive(call, pressing.occasion);
    if (welcome?.bulletin !== undefined && welcome.calls.length === 0) return undefined;
    const { id, words } = pressing.sayOf(call);
    return {
      id,
      thread: threadOfWords(call, card),
      kind: 'notice',
      ...inWords(words),
      ...(goesOn ? {} : { mentions: mentionsOf(welcome?.calls ?? [], call) }),
      createdAt: call.updatedAt,
    };
  }

  async function take(call: Call, step: Step): Promise<boolean> {
    const { audit, wakes } = effectsOf(call, [step], undefined);
    const say = await wordsOn(step.call);
    const says = say ? [say] : [];
    const sayWakes = says.map(({ thread, createdAt }) => ({
      key: sayKey(thread),
      dueAt: createdAt,
    }));
    return await store.ledger.write(call, [step], { audit, wakes: [...wakes, ...sayWakes], says });
  }

  async function stepNow(call: Call): Promise<Step | undefined> {
    // Decided while it was to be announced: no bulletin speaks for it.
    if (call.status !== 'pending') await announce.leave(call);
    const now = clock.now();
    return isDue(call, now) ? stepOf(call, now) : undefined;
  }

  return async function pressOn(callId: string): Promise<void> {
    for (;;) {
      const call = await store.ledger.get(callId);
      const step = call && (await stepNow(call));
      if (!step || (await take(call, step))) return;
    }
  };
}

/** Below the card where that stands elsewhere and stays; without a thread of its own, below the card that there is. */
function threadOfWords(call: Call, card: CardPlace | undefined): ThreadKey {
  const hasNoThread = isChannelItself(placeOf(call.thread));
  const isAside = card && (hasNoThread || (isElsewhere(call) && !hasToMove(call, card)));
  return isAside ? threadKey({ team: call.requester.team, ...card }) : call.thread;
}

/** The requester is among them here: in a notice they are called like everybody else. */
function mentionsOf(calls: readonly Called[], call: Call): Mentions {
  const named = missingApprovers(call).people.filter(
    (person) => isSamePerson(person, call.requester) || calls.includes(`user:${person.user}`),
  );
  return { people: named, groups: calls.filter((each) => isGroup(each)) };
}
