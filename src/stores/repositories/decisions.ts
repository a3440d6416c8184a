/** Who decided on which call, and when. */
import type { Call } from '../../domain/calls/call.ts';
import { decisionsBetween } from '../../domain/calls/decided-by.ts';
import type { Person } from '../../domain/people/person.ts';
import { type Records, sortTime } from '../records.ts';
import type { CommitDraft } from './documents/change-records.ts';
import { parseDocument } from './documents/read-record.ts';
import { keyOf, listRecords, type RecordKind, readOne } from './documents/read-records.ts';

interface Decided {
  /** `team/user`. */
  readonly who: string;
  readonly callId: string;
  readonly at: number;
}

const DECIDED: RecordKind<Decided> = {
  name: 'decided',
  entriesOf: ({ at, callId, who }) => [
    { partition: `decided.by|${who}`, sort: sortTime(at) },
    { partition: `decided.on|${callId}`, sort: sortTime(at) },
  ],
  read: (document, id) => parseDocument<Decided>(document, { kind: 'decision', id }),
};

const idOf = ({ callId, who }: Pick<Decided, 'callId' | 'who'>): string => `${callId}|${who}`;
const nameOf = ({ team, user }: Person): string => `${team}/${user}`;

/** Records in a commit who decided in a step of a call. */
export async function putDecisions(draft: CommitDraft, before: Call, after: Call): Promise<void> {
  for (const { at, by } of decisionsBetween(before, after)) {
    const decided = { who: nameOf(by), callId: after.id, at };
    // Few people decide twice on a call.
    draft.takeForNew([keyOf(DECIDED, idOf(decided))]);
    await draft.put(DECIDED, idOf(decided), decided);
  }
}

/** Removes all decisions on a call in a commit. */
export async function deleteDecisions(draft: CommitDraft, callId: string): Promise<void> {
  for (const each of await draft.list(DECIDED, `decided.on|${callId}`)) {
    await draft.remove(DECIDED, idOf(each));
  }
}

/** Ids of calls that a person decided since a time (ms), latest decision first, after the call `before`. */
export async function listDecisions(
  records: Records,
  person: Person,
  page: { readonly since: number; readonly before?: string | undefined; readonly limit: number },
): Promise<readonly string[]> {
  const who = nameOf(person);
  const { before, limit, since } = page;
  const last =
    before === undefined
      ? undefined
      : await readOne(records, DECIDED, idOf({ who, callId: before }));
  const after = last && `${sortTime(last.at)} ${DECIDED.name}/${idOf(last)}`;
  const found = await listRecords(records, DECIDED, `decided.by|${who}`, {
    ...{ after, limit },
    isBackwards: true,
  });
  return found.filter(({ at }) => at >= since).map(({ callId }) => callId);
}
