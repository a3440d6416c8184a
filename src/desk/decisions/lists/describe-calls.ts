/** The lines of calls in lists. A line links only to channels that its reader can open. */
import type { Call, CardPlace } from '../../../domain/calls/call.ts';
import { isTerminal } from '../../../domain/calls/call.ts';
import {
  type CallListEntry,
  toDecidedEntry,
  toEndedEntry,
  toWaitingEntry,
} from '../../../domain/cards/call-list-entry.ts';
import type { Person } from '../../../domain/people/person.ts';
import { missingApprovers } from '../../../domain/rules/reminder-schedule.ts';
import { joinSentences, type Sentence } from '../../../domain/text/sentence.ts';
import { isChannelItself, placeOf } from '../../../domain/threads/thread-key.ts';
import type { DeskDeps } from '../../deps.ts';
import { createNameApprovers } from '../../people/name-approvers.ts';

/** The reader of a list. */
export type CallListReader =
  /** A person; `yours` are the calls they may decide and have not decided yet. */
  | {
      readonly kind: 'person';
      readonly person: Person;
      readonly yours: ReadonlySet<string>;
      /** True for the list of their own decisions. */
      readonly hasDecided?: boolean;
    }
  /** Everybody in a channel. */
  | { readonly kind: 'channel'; readonly channel: string };

export type DescribeCalls = (
  calls: readonly Call[],
  reader: CallListReader,
) => Promise<readonly CallListEntry[]>;

const MAX_NAMED = 2;

/** Builds the use case. */
export function createDescribeCalls(
  deps: Pick<DeskDeps, 'store' | 'directory' | 'visibility' | 'log'>,
): DescribeCalls {
  const { log, visibility, store } = deps;
  const nameApprovers = createNameApprovers(deps);

  async function describeMissing(call: Call): Promise<Sentence | undefined> {
    const { groups, people } = missingApprovers(call);
    if (call.status !== 'pending' || groups.length + people.length === 0) return undefined;
    try {
      return joinSentences(await nameApprovers([call], MAX_NAMED), ', ');
    } catch (error) {
      log.debug(
        { err: error, call: call.id },
        'Could not look up the approvers of a call in a list.',
      );
      return undefined;
    }
  }

  async function canOpen(channel: string, reader: CallListReader): Promise<boolean> {
    if (reader.kind === 'channel') return channel === reader.channel;
    return (await visibility?.canOpen(reader.person, channel)) ?? false;
  }

  /** The link to the call's card, or to its thread. */
  async function findPlace(call: Call, reader: CallListReader): Promise<Partial<CallListEntry>> {
    const card = await store.ledger.cardOf(call.id);
    const thread = placeOf(call.thread);
    const root = isChannelItself(thread) ? undefined : { channel: thread.channel, ts: thread.root };
    for (const place of [card, root].filter((each): each is CardPlace => each !== undefined)) {
      if (await canOpen(place.channel, reader)) return { place, isCard: place === card };
    }
    return {};
  }

  async function lineOf(call: Call, reader: CallListReader): Promise<CallListEntry> {
    if (reader.kind === 'person' && reader.hasDecided) return toDecidedEntry(call, reader.person);
    if (isTerminal(call)) return toEndedEntry(call);
    const isYours = reader.kind === 'person' && reader.yours.has(call.id);
    return toWaitingEntry(call, {
      isReaders: isYours,
      ...(!isYours && { missing: await describeMissing(call) }),
    });
  }

  return async function describeCalls(calls, reader) {
    return await Promise.all(
      calls.map(async (call) => ({
        ...(await lineOf(call, reader)),
        ...(await findPlace(call, reader)),
      })),
    );
  };
}
