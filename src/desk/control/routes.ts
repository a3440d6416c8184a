/** Route changes by admins in Slack. Each command first checks that the person is an admin now. */

import { canonicalJson, type JsonValue } from '../../domain/json/json.ts';
import type { Person } from '../../domain/people/person.ts';
import {
  type AdminRoute,
  type AdminRouteDraft,
  type AdminRoutes,
  withAdminRoute,
  withoutAdminRoute,
} from '../../domain/policy/admin-routes.ts';
import type { LoadedPolicy } from '../../domain/policy/policy.ts';
import type { RouteProblem } from '../../domain/policy/route-problem.ts';
import {
  routesEscalatingTo,
  validateAdminRoute,
} from '../../domain/policy/validate-admin-route.ts';
import { deliverOutboxKey, rerouteKey } from '../../domain/ports/agenda.ts';
import type { Effects, Store } from '../../domain/ports/store.ts';
import { actorOf } from '../calls/call-effects.ts';
import type { DeskDeps } from '../deps.ts';
import { announceRouteChange, type RouteChange } from './announce-route-change.ts';
import { findAble, handlesOf } from './approvers-of-route.ts';
import { createRequireAdmin, type NotAllowed } from './require-admin.ts';

/** The current routes, and the policy beside them. */
export interface RouteList {
  readonly kind: 'routes';
  readonly book: AdminRoutes;
  /** Undefined if the built-in rules apply. */
  readonly policy: LoadedPolicy | undefined;
}

export type SetRouteOutcome =
  | { readonly kind: 'saved'; readonly book: AdminRoutes }
  /** The draft equals the stored route. */
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'invalid'; readonly problems: readonly RouteProblem[] }
  /** Someone else changed the route after the person had opened it. Nothing was overwritten. */
  | {
      readonly kind: 'changed-meanwhile';
      readonly how: 'added' | 'changed' | 'removed';
      readonly by: Person;
      /** Their name, if Slack provides it. */
      readonly byName?: string;
      readonly at: number;
    }
  | NotAllowed;

export type RemoveRouteOutcome =
  | Exclude<SetRouteOutcome, { readonly kind: 'invalid' | 'unchanged' }>
  /** Other routes escalate to this one. */
  | { readonly kind: 'in-use'; readonly by: readonly string[] };

/** `seen` is the route's revision when the person began to edit it; 0 for a new route. */
interface Seen {
  readonly by: Person;
  readonly seen: number;
}

export interface RouteControl {
  /** All routes; admins only. */
  list(by: Person): Promise<RouteList | NotAllowed>;
  /** Adds or changes a route. */
  set(command: Seen & { readonly draft: AdminRouteDraft }): Promise<SetRouteOutcome>;
  remove(command: Seen & { readonly name: string }): Promise<RemoveRouteOutcome>;
}

/** Maximum tries when others write at the same time. */
const MAX_TRIES = 20;

/** Builds the use cases. */
export function createRouteControl(
  deps: Pick<DeskDeps, 'store' | 'directory' | 'toolbox' | 'clock' | 'log'> & {
    readonly policy: () => LoadedPolicy | undefined;
  },
): RouteControl {
  const { clock, directory, policy, store, toolbox } = deps;
  const requireAdmin = createRequireAdmin(deps);
  const refuseNonAdmin = (by: Person) =>
    requireAdmin(by, 'routes', { sentence: NOT_ADMIN, maxAgeMs: 0 });

  async function setIn(
    book: AdminRoutes,
    { by, draft, seen }: Parameters<RouteControl['set']>[0],
  ): Promise<SetRouteOutcome | undefined> {
    const before = book.routes.find(({ name }) => name === draft.name);
    const meanwhile = describeConcurrentChange(book, draft.name, before, seen);
    if (meanwhile) return await withName(directory, meanwhile);
    const tools = toolbox.list().map(({ name }) => name);
    const able = await findAble(deps, draft, by.team);
    const problems = validateAdminRoute(draft, { book, policy: policy()?.policy, tools, able });
    if (problems.length > 0) return { kind: 'invalid', problems };
    if (before && isSameRoute(before, draft)) return { kind: 'unchanged' };
    const at = clock.now();
    const next = withAdminRoute(book, draft, by, at);
    const handles = await handlesOf(directory, before, draft);
    const isWritten = await write(store, next, { by, at, before, after: draft, handles });
    return isWritten ? { kind: 'saved', book: next } : undefined;
  }

  async function removeFrom(
    book: AdminRoutes,
    { by, name, seen }: Parameters<RouteControl['remove']>[0],
  ): Promise<RemoveRouteOutcome | undefined> {
    const before = book.routes.find((route) => route.name === name);
    const meanwhile = describeConcurrentChange(book, name, before, seen);
    if (meanwhile) return await withName(directory, meanwhile);
    const users = routesEscalatingTo(name, book);
    if (users.length > 0) return { kind: 'in-use', by: users };
    const at = clock.now();
    const next = withoutAdminRoute(book, name, by, at);
    const handles = await handlesOf(directory, before, undefined);
    const isWritten = await write(store, next, { by, at, before, after: undefined, handles });
    return isWritten ? { kind: 'saved', book: next } : undefined;
  }

  return {
    async list(by) {
      const refused = await refuseNonAdmin(by);
      return refused ?? { kind: 'routes', book: await store.routes.read(), policy: policy() };
    },
    async set(command) {
      const refused = await refuseNonAdmin(command.by);
      return refused ?? (await retryWrite(store, (book) => setIn(book, command)));
    },
    async remove(command) {
      const refused = await refuseNonAdmin(command.by);
      return refused ?? (await retryWrite(store, (book) => removeFrom(book, command)));
    },
  };
}

/** Writes a change with its audit entry and announcements; false if another writer was first. */
async function write(
  { routes }: Pick<Store, 'routes'>,
  next: AdminRoutes,
  change: RouteChange,
): Promise<boolean> {
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
    outboxMessages,
    wakes: [
      ...outboxMessages.map(({ thread }) => ({
        key: deliverOutboxKey(thread),
        dueAt: change.at,
      })),
      // Pending calls move to their new routes.
      { key: rerouteKey('all'), dueAt: change.at },
    ],
  };
  return await routes.write(next, effects);
}

/** Retries with the newest routes if another writer was first. */
async function retryWrite<Outcome>(
  { routes }: Pick<Store, 'routes'>,
  attempt: (book: AdminRoutes) => Promise<Outcome | undefined>,
): Promise<Outcome> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const outcome = await attempt(await routes.read());
    if (outcome !== undefined) return outcome;
  }
  throw new Error('Others keep changing the routes, so this change could not be saved.');
}

async function withName(
  directory: DeskDeps['directory'],
  meanwhile: Extract<SetRouteOutcome, { kind: 'changed-meanwhile' }>,
): Promise<SetRouteOutcome & { kind: 'changed-meanwhile' }> {
  const profile = await directory.profileOf(meanwhile.by).catch(() => undefined);
  return { ...meanwhile, ...(profile?.name !== undefined && { byName: profile.name }) };
}

const NOT_ADMIN = 'Only workspace admins and the people listed in ADMIN_USERS may set routes.';

/** Describes who changed the route first; undefined if the person saw the current one. */
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

/** The removal is so old that its author is no longer stored. */
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
