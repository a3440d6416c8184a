/** What people see, brought up to what is stored: repeated until it holds. */
import { redrawKey, sayKey } from '../domain/agenda.ts';
import { type Call, type CallStatus, type CardPlace, isTerminal } from '../domain/call.ts';
import { ChatError, UnmendedError } from '../domain/chat.ts';
import type { Outlook } from '../domain/outlook.ts';
import { type Sentence, sentence } from '../domain/sentence.ts';
import { inWords, type Say } from '../domain/store.ts';
import { placeOf, type ThreadKey } from '../domain/thread-key.ts';
import type { DeskDeps, Work } from './deps.ts';
import { foresee } from './foresee.ts';
import { isFreshCall } from './freshness.ts';
import { NotYetError, type Pace } from './pace.ts';
import { createRenewPreview } from './renew-preview.ts';
import { takesLive } from './turn-words.ts';

type ShowDeps = Pick<DeskDeps, 'store' | 'chat' | 'clock' | 'log'>;
type RedrawDeps = ShowDeps & Pick<DeskDeps, 'toolbox' | 'directory'>;

/** How long a card may stand that could not say for whom it waits, and one that nobody could approve. */
const LOOK_AGAIN_MS = { unclear: 60_000, gap: 300_000 } as const;

/** What Slack refuses until somebody mends something, unlike what passes by itself. */
const REFUSED: ReadonlySet<ChatError['code']> = new Set(['undeliverable', 'rejected']);

/** Builds the use case: draws the call as it is now, on its card or on a new one where the card was deleted; that nobody can approve it is told. */
export function createRedraw(deps: RedrawDeps, pace: Pace) {
  const { store, chat, clock, log, toolbox } = deps;
  const renewPreview = createRenewPreview({ store, toolbox, clock });

  async function draw(call: Call, place: CardPlace | undefined, work: Work): Promise<void> {
    const lookFirst = !place && work.tries > 0;
    const outlook = call.status === 'pending' ? await lookAhead(call) : undefined;
    await work.assertHeld();
    const drawn = await chat.drawCard(call, place, { lookFirst, outlook });
    if (drawn.ts !== place?.ts) await store.ledger.placeCard(call.id, drawn);
    if (outlook?.gap !== undefined) await tellGap(call, outlook.gap);
  }

  /** A card is drawn without this rather than not at all. */
  async function lookAhead(call: Call): Promise<Outlook | undefined> {
    try {
      return await foresee(deps, call);
    } catch (error) {
      log.warn({ err: error, call: call.id }, 'Nobody told who may approve; the card is without.');
      await drawAgain(call, LOOK_AGAIN_MS.unclear);
      return undefined;
    }
  }

  async function drawAgain({ id }: Call, inMs: number): Promise<void> {
    await store.agenda.wake([{ key: redrawKey(id), dueAt: clock.now() + inMs }]);
  }

  /** The requester hears of it once for each attempt, and the card keeps saying it until it is mended. */
  async function tellGap(call: Call, gap: Sentence): Promise<void> {
    const now = clock.now();
    const say: Say = {
      id: `gap:${call.id}.${call.attempt}`,
      thread: call.thread,
      kind: 'private',
      to: call.requester,
      ...inWords(sentence`“${call.tool}” waits for an approval that can’t come. ${gap}`),
      createdAt: now,
    };
    await store.outbox.add([say], [{ key: sayKey(call.thread), dueAt: now }]);
    await drawAgain(call, LOOK_AGAIN_MS.gap);
  }

  /** However long the drawing was on its way, it does not stay over a younger one. */
  async function lookAgain(drawn: Call): Promise<void> {
    const call = await store.ledger.get(drawn.id);
    if (call?.revision !== drawn.revision) await drawAgain(drawn, 0);
  }

  /** The requester hears of it once, however often the card is tried. */
  async function tellRefused(call: Call, error: ChatError): Promise<void> {
    const state = WAITING_WORDS[call.status];
    if (state === undefined) return;
    const { channel } = placeOf(call.thread);
    const say: Say = {
      id: `undeliverable:${call.id}`,
      thread: call.thread,
      kind: 'private',
      to: call.requester,
      ...inWords(
        sentence`I can't show the card for “${call.tool}” in our thread in ${{ channel }}: ${error.message} ${state} I keep trying; the card comes when that is mended.`,
      ),
      createdAt: clock.now(),
    };
    const wakes = [{ key: sayKey(call.thread), dueAt: clock.now() }];
    await store.outbox.add([say], wakes);
  }

  async function recover(call: Call, error: unknown, work: Work): Promise<void> {
    if (!(error instanceof ChatError)) throw error;
    const isRefused = REFUSED.has(error.code);
    if (isRefused) await tellRefused(call, error);
    // Nobody waits for the card of a call that has ended: it may be given up, and is not missed.
    const isAwaited = !isTerminal(call);
    if (error.code !== 'gone') {
      throw isRefused && isAwaited ? new UnmendedError(error.message, { cause: error }) : error;
    }
    if (isAwaited) await draw(call, undefined, work);
  }

  return async function redraw(callId: string, work: Work): Promise<void> {
    const [stored, place] = await Promise.all([
      store.ledger.get(callId),
      store.ledger.cardOf(callId),
    ]);
    if (!stored?.route) return;
    const { channel } = placeOf(stored.thread);
    waitFor(pace.take(channel, `card ${callId}`, isFreshCall(stored, clock.now())));
    const call = await renewPreview(stored);
    try {
      await draw(call, place, work);
    } catch (error) {
      await recover(call, error, work);
    }
    await lookAgain(call);
  };
}

function waitFor(turnAt: number | undefined): void {
  if (turnAt !== undefined) throw new NotYetError(turnAt);
}

/** How a call stands that people have to see. */
const WAITING_WORDS: Partial<Readonly<Record<CallStatus, string>>> = {
  pending: 'Nothing was run.',
  unknown: 'It was interrupted, and somebody has to say on the card whether it ran.',
};

/** How often words are tried that Slack refuses as they are, or where they were to be said. */
const TRIES: Partial<Readonly<Record<ChatError['code'], number>>> = {
  rejected: 3,
  undeliverable: 30,
};

function isHopeless(error: unknown, { tries }: Work): boolean {
  const most = error instanceof ChatError ? TRIES[error.code] : undefined;
  return most !== undefined && tries + 1 >= most;
}

/** Builds the use case: says what a thread's outbox holds, in order, each once; what Slack keeps refusing does not hold up the rest. */
export function createSay({ store, chat, clock, log }: ShowDeps, pace: Pace) {
  /** What grew in the thread becomes of this say before it counts as said: never of a later one. */
  async function show(each: Say, work: Work): Promise<void> {
    const live = takesLive(each) ? await store.outbox.liveOf(each.thread) : undefined;
    await work.assertHeld();
    if (!each.clearsLive) await chat.say(each, { lookFirst: work.tries > 0, live });
    else if (live) await chat.clearLive(each.thread, live);
    if (live) await store.outbox.placeLive(each.thread, undefined);
  }

  async function sayOne(each: Say, work: Work): Promise<void> {
    try {
      await show(each, work);
    } catch (error) {
      if (!isHopeless(error, work)) throw error;
      log.error({ err: error, say: each.id, thread: each.thread }, 'Words could not be said.');
      if (each.kind === 'answer') await store.outbox.add([sayRefused(each, clock.now())], []);
    }
    await store.outbox.markSaid(each.id);
  }

  return async function say(thread: ThreadKey, work: Work): Promise<void> {
    for (;;) {
      const [next] = await store.outbox.unsaid(thread);
      if (!next) return;
      waitFor(pace.take(placeOf(thread).channel, `say ${next.id}`, next.patient !== true));
      await sayOne(next, work);
    }
  };
}

function sayRefused({ id, thread, to }: Say, createdAt: number): Say {
  const text = 'I had an answer here, and Slack did not take it. Ask me to put it in other words.';
  return { id: `refused:${id}`, thread, kind: 'notice', ...(to && { to }), text, createdAt };
}
