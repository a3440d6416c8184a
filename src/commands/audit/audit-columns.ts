/**
 * Extra columns of an export: names for ids, the call's tool and summary, and fields of the detail.
 */
import type { AuditEntry } from '../../domain/audit/audit.ts';
import type { Call } from '../../domain/calls/call.ts';
import { callTitle } from '../../domain/cards/call-name.ts';
import type { JsonValue } from '../../domain/json/json.ts';

/** Names of ids. Undefined for unknown ids. */
export interface KnownNames {
  nameOf(id: string): string | undefined;
}

/** In this order, after the columns of the entry. */
export const FLAT_COLUMNS = [
  'actorId',
  'actorName',
  'requesterId',
  'requesterName',
  'channelId',
  'channelName',
  'groupIds',
  'groupNames',
  'tool',
  'summary',
  'digest',
  'attempt',
  'from',
  'to',
  'rule',
  'reason',
] as const;

export type FlatColumns = Readonly<Record<(typeof FLAT_COLUMNS)[number], string>>;

const ID_OF_GROUP = /^usergroup:(S[A-Z0-9]+)$/;
const ID_OF_CHANNEL = /^[CDG][A-Z0-9]{2,}$/;

/** The exported parts of the call; never its arguments. */
type AuditedCall = Parameters<typeof callTitle>[0] & Pick<Call, 'requester' | 'route' | 'thread'>;

/** Returns the extra columns of an entry. Unknown values are empty. */
export function flatColumnsOf(
  { actor, detail, subject }: AuditEntry,
  call: AuditedCall | undefined,
  names: KnownNames,
): FlatColumns {
  const text = (key: string) => textOf(detail[key]);
  const name = (id: string) => (id === '' ? '' : (names.nameOf(id) ?? ''));
  const actorId = actor.includes('/') ? (actor.split('/').at(-1) ?? '') : '';
  const requesterId = call?.requester.user ?? '';
  const channelId = channelOf([text('thread'), subject, call?.thread ?? '']);
  const groups = (call?.route?.approvers ?? []).flatMap(
    (each) => ID_OF_GROUP.exec(each)?.[1] ?? [],
  );
  return {
    actorId,
    actorName: name(actorId),
    requesterId,
    requesterName: name(requesterId),
    channelId,
    channelName: name(channelId),
    groupIds: groups.join(' '),
    groupNames: groups
      .map(name)
      .filter((each) => each !== '')
      .join(', '),
    tool: text('tool') || (call?.tool ?? ''),
    summary: call === undefined ? '' : callTitle(call),
    digest: text('digest'),
    attempt: text('attempt'),
    from: text('from'),
    to: text('to'),
    rule: text('rule'),
    reason: text('reason') || text('why'),
  };
}

/** Returns the ids in an entry that may have names. */
export function idsOf(columns: FlatColumns): readonly string[] {
  const { actorId, channelId, groupIds, requesterId } = columns;
  return [actorId, requesterId, channelId, ...groupIds.split(' ')].filter((id) => id !== '');
}

/** Returns the channel of the first key that belongs to a thread or message. */
function channelOf(keys: readonly string[]): string {
  const parts = keys.map((key) => key.split('/')[1] ?? '');
  return parts.find((part) => ID_OF_CHANNEL.test(part)) ?? '';
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
