import { isSamePerson, type Person } from '../people/person.ts';
import type { Call } from './call.ts';

/** A person's decision on a call, and when they made it. */
export interface PersonDecision {
  readonly by: Person;
  readonly at: number;
}

/** Lists who decided on a call between two of its revisions, each person once. */
export function decisionsBetween(before: Call, after: Call): readonly PersonDecision[] {
  const { verdict, votes, editedBy, updatedAt } = after;
  const isNewVerdict = verdict !== undefined && verdict.at !== before.verdict?.at;
  const newVotes = votes.filter(
    ({ by, at }) => !before.votes.some((vote) => isSamePerson(vote.by, by) && vote.at === at),
  );
  const isEdit = editedBy !== undefined && after.args !== before.args;
  const all: readonly PersonDecision[] = [
    ...(isNewVerdict ? [{ by: verdict.by, at: verdict.at }] : []),
    ...newVotes.map(({ by, at }) => ({ by, at })),
    ...(isEdit ? [{ by: editedBy, at: updatedAt }] : []),
  ];
  return all.filter(({ by }, i) => all.findIndex((each) => isSamePerson(each.by, by)) === i);
}
