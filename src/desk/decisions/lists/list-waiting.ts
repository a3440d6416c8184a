import type { Call } from '../../../domain/calls/call.ts';
import { isSamePerson, type Person } from '../../../domain/people/person.ts';
import type { Profile } from '../../../domain/people/profile.ts';
import { explainRefusedMembership } from '../../../domain/people/sender-policy.ts';
import type { DecisionKind } from '../../../domain/policy/route.ts';
import { canApprove } from '../../../domain/rules/approver-availability.ts';
import { missingApprovalCount, rulingRouteOf } from '../../../domain/rules/decision-rules.ts';
import type { RequestedDecider } from '../../../domain/rules/requested-deciders.ts';
import type { Sentence } from '../../../domain/text/sentence.ts';
import type { DeskDeps } from '../../deps.ts';
import { findProfile } from '../../people/find-profile.ts';
import { DECIDER_MAX_AGE_MS } from '../../people/lookup-age.ts';
import type { Authorize } from '../authorize.ts';
import { createOmitDeleted } from './omit-deleted.ts';
import { inBatches, takeCallPage } from './paginate-calls.ts';

/** The calls that wait for a person's decision. */
export type WaitingCalls =
  | {
      readonly kind: 'page';
      /** Oldest first. */
      readonly calls: readonly Call[];
      /** The call after which the next page begins; absent on the last page. */
      readonly next?: string;
      /** Why the list may be incomplete. */
      readonly warning?: Sentence;
    }
  /** The person can decide nothing. `passes`: only because a lookup failed. */
  | { readonly kind: 'nobody'; readonly why: Sentence; readonly passes?: true };

/** A page of a list. */
export interface ListPage {
  /** The call after which the page begins; absent for the first page. */
  readonly after?: string | undefined;
  readonly limit: number;
  /** Only calls of this tool. */
  readonly tool?: string | undefined;
}

/** A page of a list shown to people. */
export interface SeenPage extends ListPage {
  /**
   * How many of the first calls are checked for deleted messages and omitted if people can no
   * longer see them.
   */
  readonly seen?: number;
}

export type ListWaiting = (person: Person, page: SeenPage) => Promise<WaitingCalls>;

/** How many calls one page may read; the rest is on the next page. */
const MAX_READ = 300;

const PROFILE_FAILED =
  'I can’t look you up in Slack right now, so I can’t list your approvals. Please refresh in a moment.';
const GROUPS_FAILED =
  'I can’t look up some user groups in Slack right now, so this list may be incomplete. Please refresh in a moment.';

/**
 * Builds the use case: lists pending and unknown calls that a person may decide and has not
 * approved. The ledger finds those that ask the person or one of their groups. The right to decide
 * is checked as for a click.
 */
export function createListWaiting(
  deps: Pick<DeskDeps, 'store' | 'directory' | 'visibility' | 'log'>,
  authorize: Authorize,
): ListWaiting {
  const { ledger } = deps.store;
  const omitDeleted = createOmitDeleted(deps);

  return async function listWaiting(person, { seen = 0, ...page }) {
    const profile = await findProfile(deps, person);
    if (profile === undefined) return { kind: 'nobody', why: PROFILE_FAILED, passes: true };
    const refusal = explainRefusedMembership(profile);
    const why = refusal?.sentence;
    // A route may allow guests.
    if (why !== undefined && profile.standing !== 'guest') return { kind: 'nobody', why };
    const { asked, isWhole } = await groupsWith(deps, person);
    const found = await find(person, profile, asked, page);
    if (why !== undefined && found.calls.length === 0) return { kind: 'nobody', why };
    const isClear = isWhole && !found.failed;
    return {
      kind: 'page',
      calls: await omitDeleted(found.calls, seen),
      ...(found.next !== undefined && { next: found.next }),
      ...(!isClear && { warning: GROUPS_FAILED }),
    };
  };

  async function find(
    person: Person,
    profile: Profile,
    asked: readonly RequestedDecider[],
    { after, limit, tool }: ListPage,
  ) {
    let failed = false;
    const size = limit + 1;
    const source = inBatches(after, size, (last) =>
      ledger.askingAnyOf(person.team, asked, { after: last, limit: size }),
    );
    const fits = async (call: Call) => {
      if (tool !== undefined && call.tool !== tool) return false;
      const answer = await waitsFor(authorize, call, person, profile);
      failed ||= answer === 'unclear';
      return answer === true;
    };
    const page = await takeCallPage(source, fits, { after, limit, most: MAX_READ });
    return { ...page, failed };
  }
}

/** The person, and their groups that are asked about something. */
async function groupsWith(
  { store, directory, log }: Pick<DeskDeps, 'store' | 'directory' | 'log'>,
  { team, user }: Person,
) {
  const groups = await store.ledger.groupsAskedToDecide(team);
  const answers = await Promise.allSettled(
    groups.map((group) => directory.groupOf(group, { maxAgeMs: DECIDER_MAX_AGE_MS })),
  );
  const asked: RequestedDecider[] = [`user:${user}`];
  let isWhole = true;
  answers.forEach((answer, i) => {
    const group = groups[i];
    if (answer.status === 'rejected') {
      isWhole = false;
      log.warn({ err: answer.reason, group }, 'Could not look up the members of a group.');
    } else if (group !== undefined && answer.value.members.has(user)) asked.push(group);
  });
  return { asked, isWhole };
}

/** `unclear` if a group can't be looked up. */
async function waitsFor(
  authorize: Authorize,
  call: Call,
  person: Person,
  profile: Profile,
): Promise<boolean | 'unclear'> {
  const hasApproved = call.votes.some(({ by }) => isSamePerson(by, person));
  if (call.status === 'pending' && hasApproved && missingApprovalCount(call) > 0) return false;
  const decision = mainDecision(call);
  // This needs no group lookup.
  if (decision === 'approve' && !canApprove(call, person.user, profile)) return false;
  const { permission, failure } = await authorize(call, person, decision);
  if (permission.kind === 'allowed') return true;
  return failure === undefined ? false : 'unclear';
}

/** The decision that the call mainly asks for. Settling needs the right to approve. */
function mainDecision(call: Call): DecisionKind {
  const { decisions } = rulingRouteOf(call);
  if (call.status === 'unknown' || decisions.includes('approve')) return 'approve';
  return decisions[0] ?? 'approve';
}
