/** How a call is stored, and where it is found. */

import { DamagedRecordError } from '../../../domain/audit/damaged-record.ts';
import { type Call, isTerminal } from '../../../domain/calls/call.ts';
import type { Person } from '../../../domain/people/person.ts';
import {
  type RequestedDecider,
  requestedDecidersOf,
} from '../../../domain/people/requested-deciders.ts';
import {
  isChannelItself,
  placeOf,
  rootOf,
  type ThreadKey,
} from '../../../domain/threads/thread-key.ts';
import { type IndexEntry, sortTime } from '../../records.ts';
import type { CommitDraft } from './change-records.ts';
import { parseRecord } from './read-record.ts';
import { keyOf, type RecordKind } from './read-records.ts';

/** A call with its place among those of the same millisecond. */
export interface StoredCall {
  readonly call: Call;
  readonly order: string;
}

/** What is stored with a call. */
interface Wrapping {
  readonly order: string;
  /** How far the revision of its record is ahead of its own: it is marked as delivered apart from its steps. */
  readonly ahead: number;
}

export const CALL: RecordKind<StoredCall> = {
  name: 'call',
  entriesOf({ call, order }) {
    const sort = sortCall({ call, order });
    return partitionsOf(call).map((partition): IndexEntry => ({ partition, sort }));
  },
  workspaceOf: ({ call }) => placeOf(call.thread).team,
  read(document, id, { revision }) {
    const record = { kind: 'call', id } as const;
    const {
      ahead = 0,
      order = '',
      ...call
    }: Call & Partial<Wrapping> = parseRecord('call', document, record);
    // An earlier state that was put back has a right seal.
    if (call.revision + ahead !== revision) {
      throw new DamagedRecordError('its document is of another revision', { record });
    }
    return { call, order };
  },
  write: ({ call, order }, revision) =>
    JSON.stringify({ ...call, order, ahead: revision - call.revision } satisfies Call & Wrapping),
};

/** In the order of their creation, and of their places in a message. */
function sortCall({ call: { createdAt, position }, order }: StoredCall): string {
  return `${sortTime(createdAt)}.${String(position).padStart(3, '0')}.${order}`;
}

function partitionsOf(call: Call): readonly string[] {
  const { outside, requester, status, thread, tool, turn } = call;
  const [by, key] = [callRecordName(requester), outside?.key];
  const isOver = isTerminal(call);
  const isPending = status === 'pending';
  return [
    'call.all',
    `call.status|${status}`,
    ofTurn(thread, turn),
    ofFamily(thread),
    `call.mine|${by}|${isOver ? 'over' : 'open'}`,
    `call.tool|${by}|${tool}`,
    ...(outside ? [refOf(call)] : []),
    ...(key === undefined ? [] : [`call.key|${key}`]),
    ...(isOver && isChannelItself(placeOf(thread)) ? [ENDED_IN_CHANNELS] : []),
    ...(isPending ? [`call.pending-of|${by}`] : []),
    ...(isPending && key !== undefined ? [`call.pending-key|${key}`] : []),
    ...(requestedDecidersOf(call) ?? []).map((who) => requestedPartition(requester.team, who)),
  ];
}

export const callRecordName = ({ team, user }: Person): string => `${team}/${user}`;
export const requestedPartition = (team: string, who: RequestedDecider): string =>
  `call.asked|${team}/${who}`;

/** A long thread has many calls, one turn of it few. */
export const ofTurn = (thread: ThreadKey, turn: string): string => `call.turn|${thread}|${turn}`;

/** The calls of a thread of people and of its child threads. */
export const ofFamily = (thread: ThreadKey): string => `call.family|${rootOf(thread)}`;

/** Calls of channels themselves that are over. */
export const ENDED_IN_CHANNELS = 'call.over-in-channels';

/** Where a call is found again that is proposed once more: in its turn, or by what a program calls it. */
export function proposedIn(call: Call): string {
  return call.outside ? refOf(call) : ofTurn(call.thread, call.turn);
}

function refOf({ messageId, thread, toolCallId }: Call): string {
  return `call.ref|${JSON.stringify([thread, messageId, toolCallId])}`;
}

/** Whether two calls are the same tool call of the same message. */
export function isSameRef(a: Call, b: Call): boolean {
  return a.thread === b.thread && a.messageId === b.messageId && a.toolCallId === b.toolCallId;
}

/** Marks outcomes as taken; calls that are not there, or of another thread than the given one, are passed over. */
export async function markOutcomesTaken(
  draft: CommitDraft,
  ids: readonly string[],
  thread?: ThreadKey,
): Promise<void> {
  for (const id of ids) {
    const stored = await draft.read(CALL, id);
    const call = stored?.call;
    if (!call || call.delivered || (thread && call.thread !== thread)) continue;
    await draft.put(CALL, id, { ...stored, call: { ...call, delivered: true } });
  }
}

/** Behind which a page goes on. */
export const placeOfCall = (stored: StoredCall): string =>
  `${sortCall(stored)} ${keyOf(CALL, stored.call.id)}`;
