import { type Approver, type Group, REQUESTER_ROUTE, type Route } from './route.ts';

/** A name of Slack in the policy file: a channel, or a person or user group by handle. */
export type PolicyName = `#${string}` | `@${string}`;

/** What a name stands for. */
export type ResolvedName = `user:${string}` | Group;

/** Tells what names stand for at the moment. */
export interface NameDirectory {
  /** All that each name may stand for: nothing when there is no such thing, several when it is not clear. Rejects when it can't be told. */
  resolveNames(
    names: readonly PolicyName[],
  ): Promise<ReadonlyMap<PolicyName, readonly ResolvedName[]>>;
}

/** A route as the file has it: with names that are not looked up yet, and the next route by its name. */
export interface DraftRoute extends Omit<Route, 'approvers' | 'channel' | 'escalate'> {
  readonly approvers: readonly (Approver | PolicyName)[];
  /** An id or a name. */
  readonly channel?: string;
  readonly escalate?: { readonly afterMs: number; readonly to: string };
}

/** Tells whether a text is a name and no id. */
export function isPolicyName(text: string): text is PolicyName {
  return text.startsWith('#') || text.startsWith('@');
}

/** Returns the names that routes hold, each once. */
export function policyNamesIn(routes: Iterable<DraftRoute>): readonly PolicyName[] {
  const names = [...routes].flatMap(({ approvers, channel = '' }) => [...approvers, channel]);
  return [...new Set(names.filter(isPolicyName))];
}

/** Puts ids in place of names, and routes in place of the names of routes; throws when one of them is missing, or routes escalate in a circle. */
export function resolveRoutes(
  drafts: ReadonlyMap<string, DraftRoute>,
  ids: ReadonlyMap<PolicyName, ResolvedName>,
): ReadonlyMap<string, Route> {
  const settled = new Map<string, Route>([[REQUESTER_ROUTE.name, REQUESTER_ROUTE]]);
  const under = new Set<string>();

  function idOf(name: PolicyName): ResolvedName {
    const id = ids.get(name);
    if (id === undefined) throw new Error(`Nobody said what ${name} is.`);
    return id;
  }

  function resolveRoute(name: string): Route {
    const known = settled.get(name);
    if (known) return known;
    const draft = drafts.get(name);
    if (!draft || under.has(name)) throw new Error(`The route “${name}” leads nowhere.`);
    under.add(name);
    const { approvers, channel, escalate, ...rest } = draft;
    const route: Route = {
      ...rest,
      approvers: [...new Set(approvers.map((each) => (isPolicyName(each) ? idOf(each) : each)))],
      ...(channel !== undefined && {
        channel: isPolicyName(channel) ? bare(idOf(channel)) : channel,
      }),
      ...(escalate && { escalate: { afterMs: escalate.afterMs, to: resolveRoute(escalate.to) } }),
    };
    settled.set(name, route);
    return route;
  }

  for (const name of drafts.keys()) resolveRoute(name);
  return settled;
}

/** Counts the people whose approval can count on a route; undefined where groups or handles are among them, of whom nobody knows yet. */
export function countApprovers(
  approvers: DraftRoute['approvers'],
  selfApproval: boolean,
): number | undefined {
  const isFixed = approvers.every((each) => each === 'requester' || each.startsWith('user:'));
  if (!isFixed) return undefined;
  return approvers.filter((each) => each !== 'requester' || selfApproval).length;
}

function bare(id: ResolvedName): string {
  return id.slice(id.indexOf(':') + 1);
}
