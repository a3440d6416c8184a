import type { Call } from '../../../domain/calls/call.ts';
import { type ApprovalReader, SENDER_VIEW } from '../../../domain/cards/approval-view.ts';
import { mayRead } from '../../../domain/people/api-key.ts';
import { isSamePerson, type Person } from '../../../domain/people/person.ts';
import { rulingRouteOf } from '../../../domain/rules/decision-rules.ts';
import type { ApiDeps } from '../api-deps.ts';
import type { ApiCaller } from '../operation.ts';

/** A call that the caller may read, with the view it is shown in. */
export interface VisibleApproval {
  readonly call: Call;
  readonly view: ApprovalReader;
}

/** `unclear` if Slack can't say right now whether the caller may read the call; undefined if they may not. */
export type VisibilityResult = VisibleApproval | 'unclear' | undefined;

/** Creates the check of which calls a caller may read, and in which view. */
export function createApprovalVisibility({
  authorize,
  hide,
  store,
}: Pick<ApiDeps, 'authorize' | 'hide' | 'store'>) {
  function viewFor(caller: ApiCaller, call: Call): ApprovalReader {
    return caller.kind === 'key' && isOwn(caller, call) ? SENDER_VIEW : masked(false);
  }

  function masked(reveals: boolean): ApprovalReader {
    return {
      args: (call) => hide.args(call, reveals),
      text: (call, text) => hide.text(call, text, reveals),
      isMasked: (call) => !reveals && hide.mustBeOpened(call),
    };
  }

  async function find(caller: ApiCaller, id: string): Promise<VisibilityResult> {
    const call = await store.ledger.get(id);
    if (!call) return undefined;
    const may =
      caller.kind === 'key'
        ? isOwn(caller, call) || mayRead(caller.key)
        : await mayPersonSee(authorize, caller.person, call);
    if (may === 'unclear') return may;
    return may ? { call, view: viewFor(caller, call) } : undefined;
  }

  return {
    viewFor,

    /** The view of a person who opened the masked parts. */
    opened: masked(true),

    /** Finds a call that the caller may read; undefined for all others. */
    find,

    /** Checks again, after a call changed, whether the caller may still read it. */
    async findAgain(
      caller: ApiCaller,
      before: VisibleApproval,
      call: Call,
    ): Promise<VisibilityResult> {
      return caller.kind === 'key' || call === before.call
        ? { ...before, call }
        : await find(caller, call.id);
    },
  };
}

function isOwn({ key }: Extract<ApiCaller, { kind: 'key' }>, call: Call): boolean {
  return call.outside?.by === 'key' && call.outside.key === key.id;
}

/** True for everyone involved in the call and everyone who may decide it. */
async function mayPersonSee(
  authorize: ApiDeps['authorize'],
  person: Person,
  call: Call,
): Promise<boolean | 'unclear'> {
  const { editedBy, outside, requester, verdict, votes } = call;
  const involved = [requester, outside?.owner, editedBy, verdict?.by, ...votes.map(({ by }) => by)];
  if (involved.some((each) => each !== undefined && isSamePerson(each, person))) return true;
  const { decisions } = rulingRouteOf(call);
  const decision = decisions.includes('approve') ? 'approve' : (decisions[0] ?? 'approve');
  const { failure, permission } = await authorize(call, person, decision);
  if (permission.kind === 'allowed') return true;
  return failure === undefined ? false : 'unclear';
}

/** Decides what a caller sees of calls. */
export type ApprovalVisibility = ReturnType<typeof createApprovalVisibility>;
