/** The groups of a workspace that were ever asked to decide. */
import type { Call } from '../../../domain/calls/call.ts';
import type { Group } from '../../../domain/people/person.ts';
import { requestedDecidersOf } from '../../../domain/rules/requested-deciders.ts';
import type { CommitDraft } from './change-records.ts';
import { parseDocument } from './read-record.ts';
import { keyOf, type RecordKind } from './read-records.ts';

export const GROUPS: RecordKind<{ readonly groups: readonly Group[] }> = {
  name: 'asked-groups',
  entriesOf: () => [],
  workspaceOf: (_groups, team) => team,
  read: (document, id) => parseDocument(document, { kind: 'groups', id }),
};

function groupsOf(call: Call): readonly Group[] {
  return (requestedDecidersOf(call) ?? []).filter((who): who is Group => !who.startsWith('user:'));
}

/** Keys that `noteGroups` reads. */
export function groupKeysOf(call: Call): readonly string[] {
  return groupsOf(call).length === 0 ? [] : [keyOf(GROUPS, call.requester.team)];
}

/** Adds the groups that a call asks, in a commit. */
export async function noteGroups(draft: CommitDraft, call: Call): Promise<void> {
  const asked = groupsOf(call);
  if (asked.length === 0) return;
  const { team } = call.requester;
  const { groups: known } = (await draft.read(GROUPS, team)) ?? { groups: [] };
  const added = asked.filter((group) => !known.includes(group));
  if (added.length > 0) await draft.put(GROUPS, team, { groups: [...known, ...added] });
}
