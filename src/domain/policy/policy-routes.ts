import type { Group } from '../people/person.ts';
import { type Approver, REQUESTER_ROUTE, type Route } from './route.ts';

/** A Slack name in the policy file: a channel, or the handle of a person or user group. */
export type PolicyName = `#${string}` | `@${string}`;

/** What a name resolves to. */
export type ResolvedName = `user:${string}` | Group;

/** Looks up Slack names. */
export interface NameDirectory {
  /**
   * Returns every match per name: none if unknown, several if ambiguous. Rejects if the lookup
   * fails.
   */
  resolveNames(
    names: readonly PolicyName[],
  ): Promise<ReadonlyMap<PolicyName, readonly ResolvedName[]>>;
}

/** A route as written in the file: names not yet looked up, escalation target by name. */
export interface DraftRoute extends Omit<Route, 'approvers' | 'channel' | 'escalate'> {
  readonly approvers: readonly (Approver | PolicyName)[];
  /** An id or a name. */
  readonly channel?: string;
  readonly escalate?: { readonly afterMs: number; readonly to: string };
}

/** Returns whether a text is a name, not an id. */
export function isPolicyName(text: string): text is PolicyName {
  return text.startsWith('#') || text.startsWith('@');
}

/** Returns the distinct names used by routes. */
export function policyNamesIn(routes: Iterable<DraftRoute>): readonly PolicyName[] {
  const names = [...routes].flatMap(({ approvers, channel = '' }) => [...approvers, channel]);
  return [...new Set(names.filter(isPolicyName))];
}

/**
 * Resolves names to ids and route names to routes. Throws if one is missing or an escalation is
 * circular.
 */
export function resolveRoutes(
  drafts: ReadonlyMap<string, DraftRoute>,
  ids: ReadonlyMap<PolicyName, ResolvedName>,
): ReadonlyMap<string, Route> {
  const resolved = new Map<string, Route>([[REQUESTER_ROUTE.name, REQUESTER_ROUTE]]);
  const visiting = new Set<string>();

  function idOf(name: PolicyName): ResolvedName {
    const id = ids.get(name);
    if (id === undefined) throw new Error(`The name ${name} was not looked up.`);
    return id;
  }

  function resolveRoute(name: string): Route {
    const known = resolved.get(name);
    if (known) return known;
    const draft = drafts.get(name);
    if (!draft || visiting.has(name))
      throw new Error(`The route “${name}” is missing, or escalates in a circle.`);
    visiting.add(name);
    const { approvers, channel, escalate, ...rest } = draft;
    const route: Route = {
      ...rest,
      approvers: [...new Set(approvers.map((each) => (isPolicyName(each) ? idOf(each) : each)))],
      ...(channel !== undefined && {
        channel: isPolicyName(channel) ? withoutPrefix(idOf(channel)) : channel,
      }),
      ...(escalate && { escalate: { afterMs: escalate.afterMs, to: resolveRoute(escalate.to) } }),
    };
    resolved.set(name, route);
    return route;
  }

  for (const name of drafts.keys()) resolveRoute(name);
  return resolved;
}

/**
 * Counts the people whose approval can count. Undefined if groups or handles are involved: their
 * members are not known here.
 */
export function countApprovers(
  approvers: DraftRoute['approvers'],
  selfApproval: boolean,
): number | undefined {
  const isFixed = approvers.every((each) => each === 'requester' || each.startsWith('user:'));
  if (!isFixed) return undefined;
  return approvers.filter((each) => each !== 'requester' || selfApproval).length;
}

function withoutPrefix(id: ResolvedName): string {
  return id.slice(id.indexOf(':') + 1);
}
