/** What admins do to the routes in Slack: each asks first whether they are an admin at this moment. */

import { canonicalJson, type JsonValue } from '../../domain/json/json.ts';
import { explainRefusedDecider, groupsOf } from '../../domain/people/decision-permission.ts';
import type { Person } from '../../domain/people/person.ts';
import { explainRefusedMembership } from '../../domain/people/sender-policy.ts';
import {
  type AdminRoute,
  type AdminRouteDraft,
  type AdminRoutes,
  withAdminRoute,
  withoutAdminRoute,
} from '../../domain/policy/admin-routes.ts';
import type { Handles } from '../../domain/policy/describe-route.ts';
import type { LoadedPolicy } from '../../domain/policy/policy.ts';
import type { RouteProblem } from '../../domain/policy/route-problem.ts';
import {
  routesEscalatingTo,
  validateAdminRoute,
} from '../../domain/policy/validate-admin-route.ts';
import { deliverOutboxKey, rerouteKey } from '../../domain/ports/agenda.ts';
import type { Effects } from '../../domain/ports/store.ts';
import { actorOf } from '../calls/call-effects.ts';
import { REFUSAL_MAX_AGE_MS } from '../decisions/authorize.ts';
import { PROFILE_UNAVAILABLE } from '../decisions/find-profile.ts';
import type { DeskDeps } from '../deps.ts';
import { announceRouteChange, type RouteChange } from './announce-route-change.ts';
import type { NotAllowed } from './control.ts';

/** The routes as they are, beside the policy file's rules. */
export interface RouteList {
  readonly kind: 'routes';
  readonly book: AdminRoutes;
  /** Undefined where the built-in rules hold. */
  readonly policy: LoadedPolicy | undefined;
}

export type SetRouteOutcome =
  | { readonly kind: 'saved'; readonly book: AdminRoutes }
  /** Nothing is different. */
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'invalid'; readonly problems: readonly RouteProblem[] }
  /** Somebody was first since the person looked; nothing was overwritten. */
  | {
      readonly kind: 'changed-meanwhile';
      readonly how: 'added' | 'changed' | 'removed';
      readonly by: Person;
      /** What people call them, where Slack tells. */
      readonly byName?: string;
      readonly at: number;
    }
  | NotAllowed;

export type RemoveRouteOutcome =
  | Exclude<SetRouteOutcome, { readonly kind: 'invalid' | 'unchanged' }>
  /** Others go on to it. */
  | { readonly kind: 'in-use'; readonly by: readonly string[] };

/** What was known of a route when somebody began to change it: its revision; 0 for one that is new. */
interface Seen {
  readonly by: Person;
  readonly seen: number;
}

export interface RouteControl {
  /** All routes, for an admin. */
  look(by: Person): Promise<RouteList | NotAllowed>;
  /** Adds or changes one. */
  set(command: Seen & { readonly draft: AdminRouteDraft }): Promise<SetRouteOutcome>;
  remove(command: Seen & { readonly name: string }): Promise<RemoveRouteOutcome>;
}

/** Others may write at the same time; each time one of them has written. */
const MAX_TRIES = 20;
/** So many people are asked about before a route is set. */
const MAX_ASKED = 50;

/** Builds the use cases. */
export function createRouteControl(
  deps: Pick<DeskDeps, 'store' | 'directory' | 'toolbox' | 'clock' | 'log'> & {
    readonly policy: () => LoadedPolicy | undefined;
  },
): RouteControl {
  const { clock, directory, log, policy, store, toolbox } = deps;

  async function checkAdmin(by: Person): Promise<NotAllowed | undefined> {
    const profile = await directory.profileOf(by, { maxAgeMs: 0 }).catch((error: unknown) => {
      log.warn({ err: error, person: by }, 'Nobody could tell whether a person is an admin.');
    });
    if (!profile) return { kind: 'not-allowed', sentence: PROFILE_UNAVAILABLE };
    const refusal =
      explainRefusedMembership(profile) ??
      (profile.isAdmin ? undefined : { why: 'not an admin', sentence: NO_ADMIN });
    if (!refusal) return undefined;
    const audit = { at: clock.now(), event: 'control.not-allowed', actor: actorOf(by) };
    await store.audit.append([{ ...audit, subject: 'routes', detail: { why: refusal.why } }]);
    return { kind: 'not-allowed', sentence: refusal.sentence };
  }

  /** Writes a change, with its audit entry and what is said of it, unless somebody was first. */
  async function write(next: AdminRoutes, change: RouteChange): Promise<boolean> {
    const { after, before, by } = change;
    const outboxMessages = announceRouteChange(change, next.revision);
    const effects: Effects = {
      audit: [
        {
          at: change.at,
          event: eventOf(change),
          subject: `route:${(after ?? before)?.name}`,
          actor: actorOf(by),
          detail: { revision: next.revision, before: toDetail(before), after: toDetail(after) },
        },
      ],
      says: outboxMessages,
      wakes: [
        ...outboxMessages.map(({ thread }) => ({
          key: deliverOutboxKey(thread),
          dueAt: change.at,
        })),
        // What waits follows.
        { key: rerouteKey('all'), dueAt: change.at },
      ],
    };
    return await store.routes.write(next, effects);
  }

  /** Tries again on what another one has written meanwhile. */
  async function untilWritten<Outcome>(
    attempt: (book: AdminRoutes) => Promise<Outcome | undefined>,
  ): Promise<Outcome> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const outcome = await attempt(await store.routes.read());
      if (outcome !== undefined) return outcome;
    }
    throw new Error('The routes are being changed by others all the time.');
  }

  async function named(
    meanwhile: Extract<SetRouteOutcome, { kind: 'changed-meanwhile' }>,
  ): Promise<SetRouteOutcome & { kind: 'changed-meanwhile' }> {
    const profile = await directory.profileOf(meanwhile.by).catch(() => undefined);
    return { ...meanwhile, ...(profile?.name !== undefined && { byName: profile.name }) };
  }

  /** How groups are called; what Slack does not tell is shown by its id. */
  async function handlesOf(...routes: readonly (AdminRouteDraft | undefined)[]): Promise<Handles> {
    const groups = new Set(routes.flatMap((route) => (route ? groupsOf(route) : [])));
    const found = await Promise.all(
      [...groups].map(async (group) => {
        const profile = await directory.groupOf(group).catch(() => undefined);
        return [group, profile?.handle] as const;
      }),
    );
    return new Map(found.flatMap(([group, handle]) => (handle ? [[group, handle]] : [])));
  }

  /** Undefined where Slack does not tell, or there are too many to ask about: those count as able. */
  async function findAble(
    draft: AdminRouteDraft,
    team: string,
  ): Promise<ReadonlySet<string> | undefined> {
    try {
      const groups = await Promise.all(
        groupsOf(draft).map((group) => directory.groupOf(group, { maxAgeMs: REFUSAL_MAX_AGE_MS })),
      );
      const named = draft.approvers.flatMap((each) =>
        each.startsWith('user:') ? [each.slice('user:'.length)] : [],
      );
      const all = new Set([...named, ...groups.flatMap(({ members }) => [...members])]);
      if (all.size > MAX_ASKED) return undefined;
      const able = await Promise.all([...all].map((user) => isAble(draft, { team, user })));
      return new Set([...all].filter((_user, i) => able[i]));
    } catch (error) {
      log.warn({ err: error, route: draft.name }, 'Slack did not tell who could approve.');
      return undefined;
    }
  }

  async function isAble(draft: AdminRouteDraft, person: Person): Promise<boolean> {
    const { standing } = await directory.profileOf(person);
    return explainRefusedDecider(draft, standing) === undefined;
  }

  async function setIn(
    book: AdminRoutes,
    { by, draft, seen }: Parameters<RouteControl['set']>[0],
  ): Promise<SetRouteOutcome | undefined> {
    const before = book.routes.find(({ name }) => name === draft.name);
    const meanwhile = describeConcurrentChange(book, draft.name, before, seen);
    if (meanwhile) return await named(meanwhile);
    const tools = toolbox.list().map(({ name }) => name);
    const able = await findAble(draft, by.team);
    const problems = validateAdminRoute(draft, { book, policy: policy()?.policy, tools, able });
    if (problems.length > 0) return { kind: 'invalid', problems };
    if (before && isSameRoute(before, draft)) return { kind: 'unchanged' };
    const at = clock.now();
    const next = withAdminRoute(book, draft, by, at);
    const handles = await handlesOf(before, draft);
    const isWritten = await write(next, { by, at, before, after: draft, handles });
    return isWritten ? { kind: 'saved', book: next } : undefined;
  }

  async function removeFrom(
    book: AdminRoutes,
    { by, name, seen }: Parameters<RouteControl['remove']>[0],
  ): Promise<RemoveRouteOutcome | undefined> {
    const before = book.routes.find((route) => route.name === name);
    const meanwhile = describeConcurrentChange(book, name, before, seen);
    if (meanwhile) return await named(meanwhile);
    const users = routesEscalatingTo(name, book);
    if (users.length > 0) return { kind: 'in-use', by: users };
    const at = clock.now();
    const next = withoutAdminRoute(book, name, by, at);
    const handles = await handlesOf(before, undefined);
    const isWritten = await write(next, { by, at, before, after: undefined, handles });
    return isWritten ? { kind: 'saved', book: next } : undefined;
  }

  return {
    async look(by) {
      const refused = await checkAdmin(by);
      if (refused) return refused;
      return { kind: 'routes', book: await store.routes.read(), policy: policy() };
    },
    async set(command) {
      const refused = await checkAdmin(command.by);
      return refused ?? (await untilWritten((book) => setIn(book, command)));
    },
    async remove(command) {
      const refused = await checkAdmin(command.by);
      return refused ?? (await untilWritten((book) => removeFrom(book, command)));
    },
  };
}

const NO_ADMIN =
  'Only admins of this workspace, and those whom the operator has named in ADMIN_USERS, set routes.';

/** Tells who was first; undefined when the route still is what the person saw. */
function describeConcurrentChange(
  { removed }: AdminRoutes,
  name: string,
  now: AdminRoute | undefined,
  seen: number,
): Extract<SetRouteOutcome, { kind: 'changed-meanwhile' }> | undefined {
  if ((now?.revision ?? 0) === seen) return undefined;
  if (now) {
    const { changedAt: at, changedBy: by } = now;
    return { kind: 'changed-meanwhile', how: seen === 0 ? 'added' : 'changed', by, at };
  }
  const gone = removed.find((each) => each.name === name);
  const { at = 0, by = NOBODY } = gone ?? {};
  return { kind: 'changed-meanwhile', how: 'removed', by, at };
}

/** So long ago that it is not kept who it was. */
const NOBODY: Person = { team: '', user: '' };

function toDraft({ changedAt: _at, changedBy: _by, revision: _of, ...draft }: AdminRoute) {
  return draft;
}

function isSameRoute(before: AdminRoute, draft: AdminRouteDraft): boolean {
  return canonicalJson(toDetail(before)) === canonicalJson(toDetail(draft));
}

function eventOf({ after, before }: RouteChange): string {
  if (!after) return 'route.remove';
  return before ? 'route.change' : 'route.add';
}

function toDetail(route: AdminRouteDraft | AdminRoute | undefined): JsonValue {
  if (!route) return null;
  const draft = 'changedBy' in route ? toDraft(route) : route;
  return JSON.parse(JSON.stringify(draft)) as JsonValue;
}
