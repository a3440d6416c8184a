/** Who may decide on a call: the pure core that every surface asks through `authorize()`. */

import type { Approver, DecisionKind, Group, Route } from '../policy/route.ts';
import type { GroupProfile, WorkspaceMembership } from '../ports/directory.ts';
import { joinSentences, type Sentence, type SentencePart, sentence } from '../text/sentence.ts';
import { isSamePerson, type Person } from './person.ts';
import { explainRefusedMembership } from './sender-policy.ts';

/** The groups of a route as the workspace tells of them; a group that is missing has nobody in it. */
export type KnownGroups = ReadonlyMap<Group, GroupProfile>;

/** What the workspace says of a person in the moment of a decision. */
export interface Credentials {
  readonly standing: WorkspaceMembership;
  readonly groups: KnownGroups;
}

export const NO_GROUPS: KnownGroups = new Map();

/** Whether a person may make a decision on a call, and if not, why, in words for that person. */
export type Permission =
  | Allowed
  | { readonly kind: 'not-allowed'; readonly why: Sentence }
  /** Nobody who may decide anything here: not even told how the call stands. */
  | { readonly kind: 'nobody'; readonly why: Sentence };

/** The person may; `approves` tells whether their approval counts. */
export interface Allowed {
  readonly kind: 'allowed';
  readonly approves: boolean;
}

/** Answers for one person and one decision; an edit is allowed to the requester even where their approval does not count. */
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

/** Says why people of a standing may decide nothing on a route; undefined when they may, if they are approvers. */
export function explainRefusedDecider(
  route: Pick<Route, 'allowsGuests'>,
  standing: WorkspaceMembership,
): string | undefined {
  if (standing === 'guest' && route.allowsGuests) return undefined;
  return explainRefusedMembership({ standing })?.sentence;
}

/** Lists the groups among the approvers of a route. */
export function groupsOf({ approvers }: Pick<Route, 'approvers'>): readonly Group[] {
  return approvers.filter((approver): approver is Group => isGroup(approver));
}

/** Lists all groups that have a say in who the approvers of a route are. */
export function groupsNamedBy({ approvers, among = [] }: Route): readonly Group[] {
  return [...new Set([...groupsOf({ approvers }), ...groupsOf({ approvers: among })])];
}

/** Tells whether an approver is a group of people. */
export function isGroup(approver: Approver): approver is Group {
  return approver.startsWith('usergroup:') || approver.startsWith('channel:');
}

/** Lists the groups that have to be asked before a person's right to a decision is known; none where it is known without. */
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

/** Tells whether a person is one of those who decide on a route, as far as its groups are known; their standing is another matter. */
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

/** The lists in each of which an approver is. */
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
  return sentence`Only those of ${name(route.approvers)} may decide this call who are also of ${name(route.among)}.`;
}

function nameApprover(approver: Approver, groups: KnownGroups): SentencePart {
  if (approver === 'requester') return 'the person who asked';
  if (!isGroup(approver)) return { person: approver.slice('user:'.length) };
  return { group: approver, handle: groups.get(approver)?.handle };
}
