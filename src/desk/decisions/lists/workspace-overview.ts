import type { Call } from '../../../domain/calls/call.ts';
import { cardLocationOf } from '../../../domain/cards/card-channel.ts';
import type { Person } from '../../../domain/people/person.ts';
import type { Sentence } from '../../../domain/text/sentence.ts';
import { isAdmin } from '../../control/require-admin.ts';
import type { DeskDeps } from '../../deps.ts';
import { checkApprovers } from '../../people/check-approvers.ts';
import { findProfile } from '../../people/find-profile.ts';
import { countDeadLetters } from '../../worker/count-dead-letters.ts';

/** The pending calls of one route in one channel. */
export interface RouteLoad {
  readonly route: string;
  /** Absent if the cards are posted in the threads of the calls. */
  readonly channel?: string;
  readonly count: number;
  readonly oldest: Call;
}

/** A pending call that nobody can approve, and what to fix. */
export interface StuckCall {
  readonly call: Call;
  readonly gap: Sentence;
}

/** The state of the workspace, for an admin. */
export interface WorkspaceOverview {
  /** Calls that wait for a decision. */
  readonly pending: number;
  /** Calls that may have run and need someone to say what happened. */
  readonly unknown: number;
  /** Most pending calls first. */
  readonly routes: readonly RouteLoad[];
  readonly stuck: readonly StuckCall[];
  /** Tasks that were given up. */
  readonly parked: ReturnType<typeof countDeadLetters>;
  /** True if more calls are pending than were read. */
  readonly isPartial: boolean;
}

/** Undefined for non-admins, and while the profile can't be looked up. */
export type ReadOverview = (person: Person) => Promise<WorkspaceOverview | undefined>;

const MAX_READ = 500;
/** How many route and requester pairs are checked; calls of one pair have the same approvers. */
const MAX_CHECKED = 50;
const MAX_STUCK = 10;

/** True if the person is an admin; false if their profile can't be looked up. */
export async function isKnownAdmin(
  deps: Pick<DeskDeps, 'directory' | 'log'>,
  person: Person,
): Promise<boolean> {
  const profile = await findProfile(deps, person);
  return profile !== undefined && isAdmin(profile);
}

/** Builds the use case. */
export function createReadOverview(
  deps: Pick<DeskDeps, 'store' | 'directory' | 'log'>,
): ReadOverview {
  const { log, store } = deps;

  async function findGap(call: Call): Promise<Sentence | undefined> {
    try {
      return (await checkApprovers(deps, call)).gap;
    } catch (error) {
      log.warn({ err: error, call: call.id }, 'Could not look up who may approve a call.');
      return undefined;
    }
  }

  async function findStuck(calls: readonly Call[]): Promise<readonly StuckCall[]> {
    const alike = new Map<string, Call[]>();
    for (const call of calls) {
      const key = JSON.stringify([call.route, call.requester]);
      alike.set(key, [...(alike.get(key) ?? []), call]);
    }
    const found = await Promise.all(
      [...alike.values()].slice(0, MAX_CHECKED).map(async (group) => {
        const gap = group[0] && (await findGap(group[0]));
        return gap === undefined ? [] : group.map((call) => ({ call, gap }));
      }),
    );
    return found.flat().slice(0, MAX_STUCK);
  }

  return async function readOverview(person) {
    if (!(await isKnownAdmin(deps, person))) return undefined;
    const [found, counts, parked] = await Promise.all([
      store.ledger.withStatus('pending', { limit: MAX_READ }),
      store.ledger.count(),
      store.agenda.deadLetters(),
    ]);
    const own = found.filter(({ requester }) => requester.team === person.team);
    const isPartial = found.length === MAX_READ;
    return {
      pending: isPartial ? (counts.pending ?? 0) : own.length,
      unknown: counts.unknown ?? 0,
      routes: toLoads(own),
      stuck: await findStuck(own),
      parked: countDeadLetters(parked),
      isPartial,
    };
  };
}

/** Expects the calls oldest first. */
function toLoads(calls: readonly Call[]): readonly RouteLoad[] {
  const loads = new Map<string, RouteLoad>();
  for (const call of calls) {
    const route = call.route?.name ?? '';
    const channel = call.route?.channel === undefined ? undefined : cardLocationOf(call).channel;
    const key = `${route} ${channel}`;
    const known = loads.get(key);
    loads.set(key, {
      route,
      ...(channel !== undefined && { channel }),
      count: (known?.count ?? 0) + 1,
      oldest: known?.oldest ?? call,
    });
  }
  return [...loads.values()].sort((a, b) => b.count - a.count);
}
