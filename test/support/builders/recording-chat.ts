import { type Call, type CardPlace, isTerminal } from '../../../src/domain/calls/call.ts';
import { cardLocationOf } from '../../../src/domain/cards/card-channel.ts';
import type { DigestMessage } from '../../../src/domain/cards/digest-message.ts';
import {
  type Chat,
  type ChatError,
  type LiveMessage,
  type LiveView,
  type SessionStatus,
  uncertainLivePlace,
} from '../../../src/domain/ports/chat.ts';
import type { ApproverAvailability } from '../../../src/domain/rules/approver-availability.ts';
import { plainSentence } from '../../../src/domain/text/sentence.ts';
import type { OutboxMessage } from '../../../src/domain/threads/outbox-message.ts';
import type { Pause } from '../../../src/domain/threads/pause.ts';
import { placeOf } from '../../../src/domain/threads/thread-key.ts';

/** One write of a message. */
export interface Drawing {
  readonly what: 'card' | 'stub' | 'moved' | 'bulletin';
  readonly how: 'post' | 'update';
  /** Id of the call, or of the digest message. */
  readonly of: string;
  /** Ids of all calls that a card shows. */
  readonly shows: readonly string[];
  readonly place: CardPlace;
  readonly calls: readonly string[];
  readonly lookFirst: boolean;
}

/** A chat that records what people would see, and fails on request. */
export interface RecordingChat extends Chat {
  /** The newest rendering of each call, by call id. */
  readonly cards: Map<string, Call>;
  /** The approvers named in the newest rendering of each pending call, by call id. */
  readonly outlooks: Map<string, ApproverAvailability>;
  /** The progress reports shown in the renderings of each call, in order, by call id. */
  readonly reports: Map<string, string[]>;
  /** The pause shown in the newest rendering of each call, by call id. */
  readonly pauses: Map<string, Pause>;
  /** How many card messages were posted, by call id. */
  readonly posts: Map<string, number>;
  /** The newest rendering of each stub, by call id. */
  readonly stubs: Map<string, Call>;
  /** The card status in the newest rendering of each stub. */
  readonly stubLooks: Map<string, Parameters<Chat['drawStub']>[2]>;
  /** Every post and update of a card, stub or digest message, in order: its kind, its place, and whom it mentioned. */
  readonly drawings: Drawing[];
  /** The newest rendering of each digest message, by id. */
  readonly digestMessages: Map<string, DigestMessage>;
  readonly said: OutboxMessage[];
  /** The status texts of threads. */
  readonly statuses: string[];
  /** The session statuses of threads. */
  readonly sessions: SessionStatus[];
  /** Every rendering of a streaming message. */
  readonly views: LiveView[];
  /** Streaming messages that are visible now, by their timestamps. */
  readonly growing: Set<string>;
  /** The next rendering of a streaming message waits for this, which may reject. */
  nextView(outcome: () => Promise<void>): void;
  /** The next rendering or post rejects with this. */
  failNext(error: ChatError): void;
  /** From now on every rendering rejects with this; undefined ends it. */
  failCards(error: ChatError | undefined): void;
  /** From now on every post and update in this channel rejects with this; undefined ends it. */
  failChannel(channel: string, error: ChatError | undefined): void;
  /** The next update of such a message rejects with this. */
  loseNext(what: Drawing['what'], error: ChatError): void;
}

/** Creates a chat that records what people would see. */
export function createRecordingChat(): RecordingChat {
  const failures: ChatError[] = [];
  const cards = new Map<string, Call>();
  const outlooks = new Map<string, ApproverAvailability>();
  const reports: RecordingChat['reports'] = new Map();
  const pauses = new Map<string, Pause>();
  const posts = new Map<string, number>();
  const stubs = new Map<string, Call>();
  const stubLooks: RecordingChat['stubLooks'] = new Map();
  const drawings: Drawing[] = [];
  const digestMessages = new Map<string, DigestMessage>();
  const losses = new Map<Drawing['what'], ChatError>();
  const channelFailures = new Map<string, ChatError>();
  const said: OutboxMessage[] = [];
  const statuses: string[] = [];
  const sessions: SessionStatus[] = [];
  const views: LiveView[] = [];
  const growing = new Set<string>();
  const outcomes: (() => Promise<void>)[] = [];
  let cardFailure: ChatError | undefined;
  let ts = 0;

  function failIfTold(): void {
    const error = failures.shift();
    if (error) throw error;
  }

  function write(
    drawing: Pick<Drawing, 'what' | 'of' | 'calls' | 'lookFirst'> & Partial<Pick<Drawing, 'shows'>>,
    channel: string,
    at: CardPlace | undefined,
  ): CardPlace {
    const failure = channelFailures.get(channel);
    if (failure) throw failure;
    const loss = at && losses.get(drawing.what);
    if (loss) {
      losses.delete(drawing.what);
      throw loss;
    }
    if (!at) ts += 1;
    const place = at ?? { channel, ts: String(ts) };
    drawings.push({ shows: [drawing.of], ...drawing, how: at ? 'update' : 'post', place });
    return place;
  }

  return {
    cards,
    outlooks,
    reports,
    pauses,
    posts,
    stubs,
    stubLooks,
    drawings,
    digestMessages,
    said,
    statuses,
    sessions,
    views,
    growing,
    nextView: (outcome) => void outcomes.push(outcome),
    failNext: (error) => failures.push(error),
    failCards(error) {
      cardFailure = error;
    },
    loseNext: (what, error) => void losses.set(what, error),
    failChannel(channel, error) {
      if (error) channelFailures.set(channel, error);
      else channelFailures.delete(channel);
    },
    async drawCard(call, place, { calls = [], lookFirst, availability, paused, progress, shared }) {
      failIfTold();
      if (cardFailure) throw cardFailure;
      const { channel } = place ?? cardLocationOf(call);
      const shown = shared ?? [{ call, availability, progress }];
      const shows = shown.map((each) => each.call.id);
      const drawn = write({ what: 'card', of: call.id, shows, calls, lookFirst }, channel, place);
      for (const each of shown) {
        const { id } = each.call;
        cards.set(id, each.call);
        if (each.progress) reports.set(id, [...(reports.get(id) ?? []), each.progress.text]);
        if (each.availability) outlooks.set(id, each.availability);
        else outlooks.delete(id);
        if (paused && !isTerminal(each.call)) pauses.set(id, paused);
        else pauses.delete(id);
        if (!place) posts.set(id, (posts.get(id) ?? 0) + 1);
      }
      return drawn;
    },
    async drawStub(call, place, look) {
      const { channel } = placeOf(call.thread);
      const { lookFirst } = look;
      const drawn = write({ what: 'stub', of: call.id, calls: [], lookFirst }, channel, place);
      stubs.set(call.id, call);
      stubLooks.set(call.id, look);
      return drawn;
    },
    async closeCard(call, place) {
      write({ what: 'moved', of: call.id, calls: [], lookFirst: false }, place.channel, place);
    },
    async drawDigest(digestMessage, { lookFirst }) {
      const { calls, channel, id, place } = digestMessage;
      digestMessages.set(id, digestMessage);
      const called = place ? [] : calls;
      return write({ what: 'bulletin', of: id, calls: called, lookFirst }, channel, place);
    },
    async postOutboxMessage(say, { live }) {
      failIfTold();
      said.push(say);
      if (live) growing.delete(live.ts);
    },
    openLiveMessage({ thread }, left): LiveMessage {
      let place: CardPlace | undefined = left;
      return {
        place: () => place,
        async draw(view) {
          views.push(view);
          place ??= uncertainLivePlace(thread);
          await outcomes.shift()?.();
          ts += 1;
          if (place.ts === '') place = { ...place, ts: `live-${ts}` };
          growing.add(place.ts);
          return 'drawn';
        },
      };
    },
    async clearLive(_thread, live) {
      growing.delete(live.ts);
    },
    async setStatus(_thread, { words, isSeen, session }) {
      sessions.push(session);
      if (!isSeen) statuses.push(plainSentence(words));
      return 'words';
    },
  };
}
