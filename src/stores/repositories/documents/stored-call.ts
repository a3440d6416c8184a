/** How calls are stored and found. */
import { DamagedRecordError } from '../../../domain/audit/damaged-record.ts';
import { type Call, isTerminal } from '../../../domain/calls/call.ts';
import type { Person } from '../../../domain/people/person.ts';
import {
  type RequestedDecider,
  requestedDecidersOf,
} from '../../../domain/rules/requested-deciders.ts';
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

/** A call, with its order among calls of the same millisecond. */
export interface StoredCall {
  readonly call: Call;
  readonly order: string;
}

/** Fields stored beside a call. */
interface Wrapping {
  readonly order: string;
  /** Difference of the record's revision to the call's: marking it as delivered changes only the record. */
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
    // An older state that was put back would have a valid seal.
    if (call.revision + ahead !== revision) {
      throw new DamagedRecordError('its document belongs to another revision', { record });
    }
    return { call, order };
  },
  write: ({ call, order }, revision) =>
    JSON.stringify({ ...call, order, ahead: revision - call.revision } satisfies Call & Wrapping),
};

/** By creation time, then by position in the message. */
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

/** A separate partition per turn: a long thread has many calls, one turn has few. */
export const ofTurn = (thread: ThreadKey, turn: string): string => `call.turn|${thread}|${turn}`;

/** The calls of a thread and of its child threads. */
export const ofFamily = (thread: ThreadKey): string => `call.family|${rootOf(thread)}`;

/** Ended calls that belong to a channel, not to a thread. */
export const ENDED_IN_CHANNELS = 'call.over-in-channels';

/** Partition in which a repeated proposal finds its call: its turn, or the program's reference. */
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

/** Marks outcomes as delivered. Skips missing calls, and those of other threads than `thread`. */
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

/** The call's position in a list, after which the next page starts. */
export const placeOfCall = (stored: StoredCall): string =>
  `${sortCall(stored)} ${keyOf(CALL, stored.call.id)}`;
