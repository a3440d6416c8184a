/** The other end of the tools and of Slack: in the process of the harness, so that it outlives every worker. */
import { parseCardToken } from '../../../src/domain/calls/digest.ts';
import { RUN_TOOLS } from '../lean/policy.ts';
import type { CardsDrawing, OutsideRequest, SayEvent } from '../lean/protocol.ts';
import type { Press, ShownButton } from '../record.ts';
import type { Outside } from './lean-process.ts';
import type { Recorder } from './recorder.ts';

/** A card as Slack shows it. */
export interface ShownCard {
  readonly callId: string;
  readonly tool: string;
  readonly args: string;
  readonly buttons: readonly ShownButton[];
}

export interface OutsideWorld {
  readonly serve: Outside;
  /** Cards as people see them, in order of arrival. */
  cards(): readonly ShownCard[];
  /** Whether the effect of a call exists, as people would find out. */
  hasRun(callId: string): boolean;
}

interface Post {
  readonly keys: readonly string[];
  readonly cards: readonly ShownCard[];
}

/** Reads the value of a button on a card; undefined if it has no such button. */
export function pressOf(card: ShownCard, action: string, by: string): Press | undefined {
  const button = card.buttons.find((each) => each.action === action);
  const token = button && parseCardToken(button.value);
  return token && { ...token, by };
}

/** Creates the world of one run. */
export function createOutsideWorld(recorder: Recorder): OutsideWorld {
  const posts = new Map<string, Post>();
  const done = new Set<string>();
  let count = 0;

  function act(request: Extract<OutsideRequest, { to: 'tool' }>): void {
    const { key, tool, args } = request;
    const isKnown = RUN_TOOLS[tool]?.idempotent === true && done.has(key);
    if (isKnown) return;
    done.add(key);
    recorder.effect({ kind: 'effect', key, tool, args });
  }

  /** Finds an earlier post by its metadata, in the given place. */
  function place(
    wanted: readonly string[],
    ts: string | undefined,
    lookFirst: boolean,
  ): [string, boolean] {
    if (ts !== undefined && posts.has(ts)) return [ts, false];
    const found = lookFirst
      ? [...posts].find(([, { keys }]) => keys.some((key) => wanted.includes(key)))?.[0]
      : undefined;
    if (found !== undefined) return [found, false];
    count += 1;
    return [`${1_700_000_000 + count}.000000`, true];
  }

  function drawCards({ cards, ts: at }: CardsDrawing, lookFirst: boolean): string {
    const keys = cards.map(({ callId }) => callId);
    const [ts, isNew] = place(keys, at, lookFirst);
    posts.set(ts, { keys, cards });
    for (const card of cards) recorder.slack({ ...card, how: isNew ? 'post' : 'update', ts });
    return ts;
  }

  function say(event: SayEvent, lookFirst: boolean): string {
    const [ts, isNew] = place([event.sayId], event.ts, lookFirst);
    posts.set(ts, { keys: [event.sayId], cards: [] });
    if (isNew) recorder.slack({ ...event, ts });
    return ts;
  }

  function show({ event, lookFirst = false }: Extract<OutsideRequest, { to: 'slack' }>): string {
    switch (event.op) {
      case 'cards':
        return drawCards(event, lookFirst);
      case 'say':
        return say(event, lookFirst);
      case 'clear':
        posts.delete(event.ts);
        recorder.slack(event);
        return event.ts;
    }
  }

  return {
    async serve(request, kill) {
      if (request.to === 'slack') {
        const ts = show(request);
        if (request.dies) await kill();
        return ts;
      }
      const { key, tool, args } = request;
      recorder.effect({ kind: 'start', key, tool, args });
      if (request.dies === 'early') await kill();
      act(request);
      if (request.dies === 'late') await kill();
      return `did it, by ${key}`;
    },
    cards: () => [...posts.values()].flatMap(({ cards }) => cards),
    hasRun: (callId) => [...done].some((key) => key.startsWith(`${callId}.`)),
  };
}
