/** Whether enough people can still approve a pending call, and how to fix it if not. */
import type { Call } from '../calls/call.ts';
import { isGroup, isSamePerson } from '../people/person.ts';
import type { Profile } from '../people/profile.ts';
import { MEMBERSHIP_LABELS } from '../people/sender-policy.ts';
import type { Approver, Route } from '../policy/route.ts';
import { joinSentences, type Sentence, type SentencePart, sentence } from '../text/sentence.ts';
import {
  explainRefusedDecider,
  groupsOf,
  isApprover,
  type KnownGroups,
} from './decision-permission.ts';
import { missingApprovalCount, rulingRouteOf } from './decision-rules.ts';

/** Looked-up people and groups of a route. */
export interface KnownPeople {
  /** By user id. Group members are included as far as they were looked up. */
  readonly profiles: ReadonlyMap<string, Profile>;
  readonly groups: KnownGroups;
}

/** Who can still approve a pending call. */
export interface ApproverAvailability {
  /** Approvers whose approval counts and is still missing, by name. */
  readonly awaited: readonly SentencePart[];
  /** Approvers who can't approve, each with the reason. */
  readonly unable: readonly Sentence[];
  /** Why the call can't get enough approvals, and how to fix it; absent if it can. */
  readonly gap?: Sentence;
  /** The requester's name, if the card's channel is one where they are not mentioned. */
  readonly asker?: SentencePart;
}

/**
 * Lists the ids of all people on a call's route, named ones first, regardless of their membership.
 */
export function approverCandidatesOf(call: Call, groups: KnownGroups): readonly string[] {
  const { approvers } = rulingRouteOf(call);
  const named = approvers.flatMap((approver) => {
    if (approver === 'requester') return [call.requester.user];
    return isGroup(approver) ? [] : [userOf(approver)];
  });
  const inGroups = groupsOf(rulingRouteOf(call)).flatMap((group) => [
    ...(groups.get(group)?.members ?? []),
  ]);
  return [...new Set([...named, ...inGroups])].filter((user) => isCandidate(call, user, groups));
}

function isCandidate(call: Call, user: string, groups: KnownGroups): boolean {
  const person = { team: call.requester.team, user };
  return isApprover(rulingRouteOf(call), call.requester, person, groups);
}

/** Returns whether a person's membership and the self-approval setting let them approve a call. */
export function canApprove(call: Call, user: string, profile: Profile | undefined): boolean {
  return profile !== undefined && explainUnableApprover(call, user, profile) === undefined;
}

/** Describes who can still approve a pending call. */
export function toApproverAvailability(call: Call, known: KnownPeople): ApproverAvailability {
  const route = rulingRouteOf(call);
  const checked = [...new Set(route.approvers)].map((approver) => ({
    approver,
    why: explainUnavailable(call, approver, known),
  }));
  const awaited = checked
    .filter(({ approver, why }) => why === undefined && !hasApproved(call, approver))
    .map(({ approver }) => nameOf(call, approver, known));
  const unable = checked.flatMap(({ approver, why }) =>
    why === undefined ? [] : [sentence`${nameOf(call, approver, known)} (${why})`],
  );
  const gap = findGap(call, route, known, unable);
  return { awaited, unable, ...(gap !== undefined && { gap }) };
}

/** Keeps the sentence short. */
const MAX_NAMED = 10;

/** People who were not looked up count as able, so a gap is never guessed. */
function findGap(
  call: Call,
  route: Route,
  known: KnownPeople,
  unable: readonly Sentence[],
): Sentence | undefined {
  if (!route.decisions.includes('approve')) return undefined;
  const able = approverCandidatesOf(call, known.groups).filter((user) => {
    const profile = known.profiles.get(user);
    return profile === undefined || canApprove(call, user, profile);
  });
  if (able.length >= route.quorum) return undefined;
  if (route.approvers.length === 0) {
    return `This can’t be approved: the route “${route.name}” has no approvers. ${REMEDY}`;
  }
  const because =
    unable.length === 0
      ? ''
      : sentence` Can’t approve: ${joinSentences(unable.slice(0, MAX_NAMED), ', ')}.`;
  return sentence`${describeTooFewApprovers(route, able.length)}${because} ${REMEDY}`;
}

function describeTooFewApprovers({ quorum }: Route, able: number): string {
  const needs = quorum === 1 ? 'an approval' : `${quorum} approvals`;
  if (able === 0) return `This can’t be approved: it needs ${needs} and nobody may give one.`;
  const few = able === 1 ? 'only 1 person' : `only ${able} people`;
  return `This can’t be approved: it needs ${needs} and ${few} may give one.`;
}

const REMEDY = 'An admin can change the route.';

/** Explains why nobody behind an approver can approve; undefined if someone can. */
function explainUnavailable(
  call: Call,
  approver: Approver,
  known: KnownPeople,
): Sentence | undefined {
  if (!isGroup(approver)) {
    const user = approver === 'requester' ? call.requester.user : userOf(approver);
    if (!isCandidate(call, user, known.groups)) return 'not named in the policy';
    return explainUnableApprover(call, user, known.profiles.get(user));
  }
  const group = known.groups.get(approver);
  if (group?.missing !== undefined) return withoutPeriod(group.missing);
  const members = [...(group?.members ?? [])];
  if (members.length === 0) return 'nobody is in it';
  const someone = members.some((user) => {
    const profile = known.profiles.get(user);
    if (!isCandidate(call, user, known.groups)) return false;
    return profile === undefined || canApprove(call, user, profile);
  });
  return someone ? undefined : 'nobody in it may approve';
}

function explainUnableApprover(
  call: Call,
  user: string,
  profile: Profile | undefined,
): string | undefined {
  const route = rulingRouteOf(call);
  if (profile && explainRefusedDecider(route, profile.standing))
    return MEMBERSHIP_LABELS[profile.standing];
  const isSelf = isSamePerson({ team: call.requester.team, user }, call.requester);
  return isSelf && !route.selfApproval ? 'may not approve their own call' : undefined;
}

function hasApproved(call: Call, approver: Approver): boolean {
  // If only a click is missing, anyone's counts.
  if (isGroup(approver) || missingApprovalCount(call) === 0) return false;
  const user = approver === 'requester' ? call.requester.user : userOf(approver);
  return call.votes.some((vote) => vote.by.user === user);
}

function nameOf(call: Call, approver: Approver, { profiles, groups }: KnownPeople): SentencePart {
  if (isGroup(approver)) return { group: approver, handle: groups.get(approver)?.handle };
  const person = approver === 'requester' ? call.requester.user : userOf(approver);
  return { person, name: profiles.get(person)?.name };
}

function userOf(approver: Exclude<Approver, 'requester'>): string {
  return approver.slice('user:'.length);
}

function withoutPeriod(text: string): string {
  return text.replace(/\.$/, '');
}
