import type { Call } from '../../../domain/calls/call.ts';
import { missingApprovalCount, rulingRouteOf } from '../../../domain/calls/decision-rules.ts';
import { canApprove } from '../../../domain/people/approver-availability.ts';
import { isSamePerson, type Person } from '../../../domain/people/person.ts';
import type { RequestedDecider } from '../../../domain/people/requested-deciders.ts';
import { explainRefusedMembership } from '../../../domain/people/sender-policy.ts';
import type { DecisionKind } from '../../../domain/policy/route.ts';
import type { Profile } from '../../../domain/ports/directory.ts';
import type { Sentence } from '../../../domain/text/sentence.ts';
import type { DeskDeps } from '../../deps.ts';
import { type Authorize, DECIDER_MAX_AGE_MS } from '../authorize.ts';
import { findProfile } from '../find-profile.ts';
import { createOmitDeleted } from './omit-deleted.ts';
import { inBatches, takeCallPage } from './paginate-calls.ts';

/** What waits for a person's decision. */
export type WaitingCalls =
  | {
      readonly kind: 'page';
      /** Oldest first. */
      readonly calls: readonly Call[];
      /** The call after which the next page begins; absent when nothing more waits. */
      readonly next?: string;
      /** Why there may be more than is told here. */
      readonly doubt?: Sentence;
    }
  /** They can decide nothing, or nobody can tell now, which passes. */
  | { readonly kind: 'nobody'; readonly why: Sentence; readonly passes?: true };

/** Which page of a list, and how long it is. */
export interface ListPage {
  /** The call after which it begins; from the start when there is none. */
  readonly after?: string | undefined;
  readonly limit: number;
  /** Only calls of this tool. */
  readonly tool?: string | undefined;
}

/** Which page of a list that people look at. */
export interface SeenPage extends ListPage {
  /** Of so many of its first calls it is made sure that people can still see them: the others are left out. */
  readonly seen?: number;
}

export type ListWaiting = (person: Person, page: SeenPage) => Promise<WaitingCalls>;

/** A page is never more work than to look at so many calls: what is beyond them is on the next one. */
const MAX_LOOKED_AT = 300;

const NOT_KNOWN =
  'Slack does not tell me who you are right now, so I can’t tell what waits for you. Please refresh in a moment.';
const GROUPS_NOT_KNOWN =
  'Slack does not tell me right now who is in some groups, so more may wait for you than is shown here. Please refresh in a moment.';

/**
 * Builds the use case: lists the pending and unknown calls that a person may decide and has not
 * approved yet. The ledger finds those that ask the person, or a group that they are in; whether
 * they may decide is answered as it is for a press.
 */
export function createListWaiting(
  deps: Pick<DeskDeps, 'store' | 'directory' | 'visibility' | 'log'>,
  authorize: Authorize,
): ListWaiting {
  const { directory, log } = deps;
  const { ledger } = deps.store;
  const dropGone = createOmitDeleted(deps);

  return async function listWaiting(person, { seen = 0, ...page }) {
    const profile = await findProfile(deps, person);
    if (profile === undefined) return { kind: 'nobody', why: NOT_KNOWN, passes: true };
    const refusal = explainRefusedMembership(profile);
    const why = refusal?.sentence;
    // A route may allow guests.
    if (why !== undefined && profile.standing !== 'guest') return { kind: 'nobody', why };
    const { asked, isWhole } = await groupsWith(person);
    const found = await find(person, profile, asked, page);
    if (why !== undefined && found.calls.length === 0) return { kind: 'nobody', why };
    const isClear = isWhole && !found.failed;
    return {
      kind: 'page',
      calls: await dropGone(found.calls, seen),
      ...(found.next !== undefined && { next: found.next }),
      ...(!isClear && { doubt: GROUPS_NOT_KNOWN }),
    };
  };

  /** The person, and the groups with them in it of which something is asked. */
  async function groupsWith({ team, user }: Person) {
    const groups = await ledger.groupsAskedToDecide(team);
    const answers = await Promise.allSettled(
      groups.map((group) => directory.groupOf(group, { maxAgeMs: DECIDER_MAX_AGE_MS })),
    );
    const asked: RequestedDecider[] = [`user:${user}`];
    let isWhole = true;
    answers.forEach((answer, i) => {
      const group = groups[i];
      if (answer.status === 'rejected') {
        isWhole = false;
        log.warn({ err: answer.reason, group }, 'Nobody could tell who is in a group.');
      } else if (group !== undefined && answer.value.members.has(user)) asked.push(group);
    });
    return { asked, isWhole };
  }

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
      const answer = await waitsForOf(tool, call, person, profile);
      failed ||= answer === 'unclear';
      return answer === true;
    };
    const page = await takeCallPage(source, fits, { after, limit, most: MAX_LOOKED_AT });
    return { ...page, failed };
  }

  async function waitsForOf(
    tool: string | undefined,
    call: Call,
    person: Person,
    profile: Profile,
  ): Promise<boolean | 'unclear'> {
    const isOfTool = tool === undefined || call.tool === tool;
    return isOfTool && (await waitsFor(call, person, profile));
  }

  async function waitsFor(
    call: Call,
    person: Person,
    profile: Profile,
  ): Promise<boolean | 'unclear'> {
    const hasApproved = call.votes.some(({ by }) => isSamePerson(by, person));
    if (call.status === 'pending' && hasApproved && missingApprovalCount(call) > 0) return false;
    const decision = mainDecision(call);
    // Known without asking the workspace about any group.
    if (decision === 'approve' && !canApprove(call, person.user, profile)) return false;
    const { permission, failure } = await authorize(call, person, decision);
    if (permission.kind === 'allowed') return true;
    return failure === undefined ? false : 'unclear';
  }
}

/** What the call asks for in the first place; whoever settles one has the rights of whoever approves it. */
function mainDecision(call: Call): DecisionKind {
  const { decisions } = rulingRouteOf(call);
  if (call.status === 'unknown' || decisions.includes('approve')) return 'approve';
  return decisions[0] ?? 'approve';
}
