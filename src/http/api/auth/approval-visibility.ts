import type { Call } from '../../../domain/calls/call.ts';
import { routeOf } from '../../../domain/calls/decision-rules.ts';
import { type Sight, WHOLE } from '../../../domain/cards/approval-view.ts';
import { mayRead } from '../../../domain/people/api-key.ts';
import { isSamePerson, type Person } from '../../../domain/people/person.ts';
import type { ApiDeps } from '../api-deps.ts';
import type { Visitor } from '../operation.ts';

/** A call that a visitor may read, and how. */
export interface Seen {
  readonly call: Call;
  readonly sight: Sight;
}

/** What of a call is there to be read; unclear where Slack can't tell now whether the visitor may. */
export type Found = Seen | 'unclear' | undefined;

/** Builds the question what a visitor sees of calls. */
export function createSightOf({
  authorize,
  hide,
  store,
}: Pick<ApiDeps, 'authorize' | 'hide' | 'store'>) {
  function sightOf(visitor: Visitor, call: Call): Sight {
    return visitor.kind === 'key' && isOwn(visitor, call) ? WHOLE : masked(false);
  }

  function masked(reveals: boolean): Sight {
    return {
      args: (call) => hide.args(call, reveals),
      text: (call, text) => hide.text(call, text, reveals),
      isMasked: (call) => !reveals && hide.mustBeOpened(call),
    };
  }

  function isOwn({ key }: Extract<Visitor, { kind: 'key' }>, call: Call): boolean {
    return call.outside?.by === 'key' && call.outside.key === key.id;
  }

  /** Whoever asked, has decided on it, or may. */
  async function mayPersonSee(person: Person, call: Call): Promise<boolean | 'unclear'> {
    const { editedBy, outside, requester, verdict, votes } = call;
    const involved = [
      requester,
      outside?.owner,
      editedBy,
      verdict?.by,
      ...votes.map(({ by }) => by),
    ];
    if (involved.some((each) => each !== undefined && isSamePerson(each, person))) return true;
    const { decisions } = routeOf(call);
    const decision = decisions.includes('approve') ? 'approve' : (decisions[0] ?? 'approve');
    const { failure, permission } = await authorize(call, person, decision);
    if (permission.kind === 'allowed') return true;
    return failure === undefined ? false : 'unclear';
  }

  async function find(visitor: Visitor, id: string): Promise<Found> {
    const call = await store.ledger.get(id);
    if (!call) return undefined;
    const may =
      visitor.kind === 'key'
        ? isOwn(visitor, call) || mayRead(visitor.key)
        : await mayPersonSee(visitor.person, call);
    if (may === 'unclear') return may;
    return may ? { call, sight: sightOf(visitor, call) } : undefined;
  }

  return {
    sightOf,

    /** The sight of a person who has opened a call. */
    opened: masked(true),

    /** Finds a call that the visitor may read; those of others are not found. */
    find,

    /** Finds a call that was seen before and has perhaps changed: a person who may read it no more hears no more of it. */
    async findAgain(visitor: Visitor, before: Seen, call: Call): Promise<Found> {
      return visitor.kind === 'key' || call === before.call
        ? { ...before, call }
        : await find(visitor, call.id);
    },
  };
}

/** Answers what a visitor sees of calls. */
export type SightOf = ReturnType<typeof createSightOf>;
