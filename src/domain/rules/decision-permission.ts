/** Who may decide on a call: the pure core of `authorize()`. */

import { type Group, isGroup, isSamePerson, type Person } from '../people/person.ts';
import type { GroupProfile, WorkspaceMembership } from '../people/profile.ts';
import { explainRefusedMembership } from '../people/sender-policy.ts';
import type { Approver, DecisionKind, Route } from '../policy/route.ts';
import { joinSentences, type Sentence, type SentencePart, sentence } from '../text/sentence.ts';

/** A route's groups as looked up. A missing group has no members. */
export type KnownGroups = ReadonlyMap<Group, GroupProfile>;

/** A person's membership and groups at the time of a decision. */
export interface Credentials {
  readonly standing: WorkspaceMembership;
  readonly groups: KnownGroups;
}

export const NO_GROUPS: KnownGroups = new Map();

/** Whether a person may make a decision; if not, why, in a sentence for that person. */
export type Permission =
  | Allowed
  | { readonly kind: 'not-allowed'; readonly why: Sentence }
  /** May decide nothing here, and is not told the call's status. */
  | { readonly kind: 'nobody'; readonly why: Sentence };

/** The person may decide. `approves`: whether their approval counts. */
export interface Allowed {
  readonly kind: 'allowed';
  readonly approves: boolean;
}

/**
 * Checks one person and one decision. Requesters may edit even if their own approval does not
 * count.
 */
export function checkDecisionPermission(
  route: Route,
  requester: Person,
  person: Person,
  decision: DecisionKind,
  known: Credentials,
): Permission {
  const nobody = explainNoApprovers(route, requester, person, known);
  if (nobody !== undefined) return { kind: 'nobody', why: nobody };
  if (!route.decisions.includes(decision)) {
    return { kind: 'not-allowed', why: `The route “${route.name}” does not allow “${decision}”.` };
  }
  if (!isApprover(route, requester, person, known.groups))
    return { kind: 'not-allowed', why: describeAllowedPeople(route, known.groups) };
  const approves = !isSamePerson(person, requester) || route.selfApproval;
  if (decision === 'approve' && !approves) {
    return {
      kind: 'not-allowed',
      why: `The route “${route.name}” does not let people approve their own calls.`,
    };
  }
  return { kind: 'allowed', approves };
}

/**
 * Explains why someone with this membership may not decide on a route; undefined if an approver
 * could.
 */
export function explainRefusedDecider(
  route: Pick<Route, 'allowsGuests'>,
  standing: WorkspaceMembership,
): string | undefined {
  if (standing === 'guest' && route.allowsGuests) return undefined;
  return explainRefusedMembership({ standing })?.sentence;
}

/** Lists the groups among a route's approvers. */
export function groupsOf({ approvers }: Pick<Route, 'approvers'>): readonly Group[] {
  return approvers.filter((approver): approver is Group => isGroup(approver));
}

/** Lists all groups that determine a route's approvers. */
export function groupsNamedBy({ approvers, among = [] }: Route): readonly Group[] {
  return [...new Set([...groupsOf({ approvers }), ...groupsOf({ approvers: among })])];
}

/** Lists the groups to look up before a person's right to decide is known; none if not needed. */
export function groupsToLookUp(
  route: Route,
  requester: Person,
  person: Person,
  decision: DecisionKind,
): readonly Group[] {
  const isClear =
    !route.decisions.includes(decision) ||
    person.team !== requester.team ||
    listsOf(route).every((list) => isNamed(list, requester, person));
  return isClear ? [] : groupsNamedBy(route);
}

/** Returns whether a person is on a route, given its looked-up groups. Ignores their membership. */
export function isApprover(
  route: Route,
  requester: Person,
  person: Person,
  groups: KnownGroups,
): boolean {
  return listsOf(route).every(
    (list) =>
      isNamed(list, requester, person) ||
      groupsOf({ approvers: list }).some((group) => groups.get(group)?.members.has(person.user)),
  );
}

/** The lists that an approver must be on: all of them. */
function listsOf({ approvers, among }: Route): readonly (readonly Approver[])[] {
  return among ? [approvers, among] : [approvers];
}

function explainNoApprovers(
  route: Route,
  requester: Person,
  person: Person,
  { standing }: Credentials,
): string | undefined {
  if (person.team !== requester.team) return 'Only members of this workspace may decide here.';
  return explainRefusedDecider(route, standing);
}

function isNamed(approvers: readonly Approver[], requester: Person, person: Person): boolean {
  return approvers.some((approver) =>
    approver === 'requester' ? isSamePerson(person, requester) : approver === `user:${person.user}`,
  );
}

function describeAllowedPeople(route: Route, groups: KnownGroups): Sentence {
  if (route.approvers.length === 0)
    return `The route “${route.name}” has no approvers: nobody may decide.`;
  const name = (list: readonly Approver[]) =>
    joinSentences(
      list.map((approver) => nameApprover(approver, groups)),
      ', ',
    );
  if (!route.among) return sentence`Only ${name(route.approvers)} may decide this call.`;
  return sentence`Only people who are among ${name(route.approvers)} and also among ${name(route.among)} may decide this call.`;
}

function nameApprover(approver: Approver, groups: KnownGroups): SentencePart {
  if (approver === 'requester') return 'the person who asked';
  if (!isGroup(approver)) return { person: approver.slice('user:'.length) };
  return { group: approver, handle: groups.get(approver)?.handle };
}
