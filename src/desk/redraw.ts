/** What people see of a call, brought up to what is stored: repeated until it holds. */
import { redrawKey, sayKey, stubKey } from '../domain/agenda.ts';
import type { Welcome } from '../domain/bulletin.ts';
import { type Call, type CardPlace, isTerminal } from '../domain/call.ts';
import { hasToMove, homeOf, isElsewhere } from '../domain/card-home.ts';
import { ChatError, UnmendedError } from '../domain/chat.ts';
import type { Outlook } from '../domain/outlook.ts';
import { type Sentence, sentence } from '../domain/sentence.ts';
import { inWords, type Say } from '../domain/store.ts';
import type { Announce } from './announce.ts';
import type { DeskDeps, Work } from './deps.ts';
import { foresee } from './foresee.ts';
import { isFreshCall } from './freshness.ts';
import { createLeaveBehind } from './leave-behind.ts';
import { type Pace, waitFor } from './pace.ts';
import type { Progress } from './progress.ts';
import { createRenewPreview } from './renew-preview.ts';
import { createTellRefused, isAlarming, noteRefused } from './tell-refused.ts';

type RedrawDeps = Pick<
  DeskDeps,
  'store' | 'chat' | 'clock' | 'log' | 'toolbox' | 'directory' | 'admins'
>;

/** How long a card may stand that could not say for whom it waits, and one that nobody could approve. */
const LOOK_AGAIN_MS = { unclear: 60_000, gap: 300_000 } as const;

/** So many cards of a crowd are posted at once. */
const FEW = 5;

/** What Slack refuses until somebody mends something, unlike what passes by itself. */
const REFUSED: ReadonlySet<ChatError['code']> = new Set(['undeliverable', 'rejected']);

/** Where a drawing goes, and what is known of the card that is there. */
interface Spot {
  /** Undefined where a card is to be posted. */
  readonly place: CardPlace | undefined;
  /** Where it stands that has to go on to another channel. */
  readonly old: CardPlace | undefined;
  /** Undefined where nobody is to be called, for a card was there. */
  readonly welcome: Welcome | undefined;
}

/** Builds the use case: draws the call as it is now, on its card or on a new one where the card was deleted or belongs elsewhere; that nobody can approve it is told. */
export function createRedraw(
  deps: RedrawDeps,
  parts: {
    readonly pace: Pace;
    readonly announce: Announce;
    readonly progress: Pick<Progress, 'sayAgain'>;
  },
) {
  const { store, chat, clock, log, toolbox } = deps;
  const { pace, announce, progress } = parts;
  const renewPreview = createRenewPreview({ store, toolbox, clock });
  const leaveBehind = createLeaveBehind(deps);
  const tellRefused = createTellRefused(deps);

  async function draw(call: Call, spot: Spot, work: Work): Promise<void> {
    const { place, welcome } = spot;
    const lookFirst = !place && work.tries > 0;
    const outlook = call.status === 'pending' ? await lookAhead(call) : undefined;
    await work.assertHeld();
    const calls = welcome?.calls;
    const drawn = await chat.drawCard(call, place, { lookFirst, outlook, calls });
    await settle(call, spot, drawn, work);
    if (outlook?.gap !== undefined) await tellGap(call, outlook.gap);
  }

  /** Remembers where the card is, after whatever has to be known of the one that it goes on from. */
  async function settle(call: Call, { place, old }: Spot, drawn: CardPlace, work: Work) {
    if (old) await leaveBehind.mark(call, old);
    if (drawn.ts !== place?.ts) {
      await store.ledger.placeCard(call.id, drawn);
      if (old || !isElsewhere(call)) await progress.sayAgain(call.thread);
    }
    // An earlier try may have ended before the old one was drawn over.
    if (old || work.tries > 0) await leaveBehind.close(call, drawn);
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

  async function recover(call: Call, spot: Spot, error: unknown, work: Work): Promise<void> {
    if (!(error instanceof ChatError)) throw error;
    const isRefused = REFUSED.has(error.code);
    if (isRefused) await refused(call, spot, error);
    // Nobody waits for the card of a call that has ended: it may be given up, and is not missed.
    const isAwaited = !isTerminal(call);
    if (error.code !== 'gone') {
      throw isRefused && isAwaited ? new UnmendedError(error.message, { cause: error }) : error;
    }
    if (isAwaited) await draw(call, { ...spot, place: undefined, welcome: undefined }, work);
  }

  /** Until its channel takes the card, people decide where it stood before, if anywhere. */
  async function refused(call: Call, { place, old }: Spot, error: ChatError): Promise<void> {
    await alarm(call, (place ?? homeOf(call)).channel, error);
    if (!old) return;
    const outlook = call.status === 'pending' ? await lookAhead(call) : undefined;
    await chat.drawCard(call, old, { lookFirst: false, outlook }).catch((cause: unknown) => {
      log.warn({ err: cause, call: call.id }, 'The card could not be drawn where it was.');
    });
  }

  /** People hear of what lasts. */
  async function alarm(call: Call, channel: string, error: ChatError): Promise<void> {
    const { refused: since } = await store.ledger.sidesOf(call.id);
    const now = clock.now();
    if (since?.channel !== channel) {
      await store.ledger.placeSide(call.id, 'refused', noteRefused(channel, now));
    } else if (isAlarming(since, now)) {
      await tellRefused.refused(call, error);
      if (error.code === 'undeliverable' && isElsewhere(call)) await wakeStub(call);
    }
  }

  async function wakeStub({ id }: Call): Promise<void> {
    await store.agenda.wake([{ key: stubKey(id), dueAt: clock.now() }]);
  }

  /** What a bulletin speaks for with many others has its turn; where few of them wait, somebody waits for it. */
  async function isOneOfMany(welcome: Welcome | undefined): Promise<boolean> {
    if (welcome?.bulletin === undefined) return false;
    const bulletin = await store.bulletins.read(welcome.bulletin);
    return bulletin !== undefined && bulletin.waiting > FEW;
  }

  async function spotOf(call: Call, card: CardPlace | undefined): Promise<Spot> {
    const old = card && hasToMove(call, card) ? card : undefined;
    const place = old ? undefined : card;
    return { place, old, welcome: place ? undefined : await announce.arrive(call) };
  }

  return async function redraw(callId: string, work: Work): Promise<void> {
    const [stored, card] = await Promise.all([
      store.ledger.get(callId),
      store.ledger.cardOf(callId),
    ]);
    if (!stored?.route) return;
    const spot = await spotOf(stored, card);
    const { channel } = spot.place ?? homeOf(stored);
    const isUrgent = isFreshCall(stored, clock.now()) && !(await isOneOfMany(spot.welcome));
    waitFor(pace.take(channel, `card ${callId}`, isUrgent));
    const call = await renewPreview(stored);
    try {
      await draw(call, spot, work);
    } catch (error) {
      await recover(call, spot, error, work);
    }
    await follow(call, spot, work);
    await lookAgain(call);
  };

  async function takeBack(call: Call, refused: CardPlace): Promise<void> {
    if (isAlarming(refused, clock.now())) await tellRefused.mended(call);
    await store.ledger.placeSide(call.id, 'refused', undefined);
  }

  /** The thread's stub and the channel's bulletin follow the card. */
  async function follow(call: Call, { old }: Spot, work: Work): Promise<void> {
    const mayHaveSides = isElsewhere(call) || old || work.tries > 0;
    const sides = mayHaveSides ? await store.ledger.sidesOf(call.id) : {};
    if (sides.refused) await takeBack(call, sides.refused);
    if (isElsewhere(call) || sides.stub) await wakeStub(call);
    if (call.status !== 'pending') await announce.leave(call);
    else if (old) await announce.leave(call, homeOf(call).channel);
  }
}
