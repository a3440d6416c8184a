/** Ids of what stands in the list of routes and in the form of one. */
export const ROUTE_ACTIONS = {
  manage: 'route.manage',
  add: 'route.add',
  change: 'route.change',
  remove: 'route.remove',
  /** A channel was chosen in the form. */
  channel: 'route.channel',
  /** The second step of the form is wanted, or the first one again. */
  more: 'route.more',
  back: 'route.back',
  /** User groups are searched in the form. */
  groups: 'route.groups',
} as const;

export const ROUTE_VIEWS = { list: 'route.list', form: 'route.form.submit' } as const;

/** Blocks of the form, each with one field. */
export const ROUTE_BLOCKS = {
  name: 'route.name',
  tools: 'route.tools',
  patterns: 'route.patterns',
  channel: 'route.channel',
  others: 'route.others',
  people: 'route.people',
  groups: 'route.groups',
  quorum: 'route.quorum',
  counts: 'route.counts',
  decisions: 'route.decisions',
  deadline: 'route.deadline',
  remindAfter: 'route.remind-after',
  escalateAfter: 'route.escalate-after',
  escalateTo: 'route.escalate-to',
} as const;

/** What a field without an id of its own is called within its block. */
export const FIELD = 'value';

/** What stands on a button of a route: its name and the revision that was shown. */
export function encodeRouteToken(name: string, revision: number): string {
  return `${revision} ${name}`;
}

/** Reads it; undefined for anything that `encodeRouteToken` did not write. */
export function parseRouteToken(
  text: string,
): { readonly name: string; readonly revision: number } | undefined {
  const [, revision, name] = /^([1-9][0-9]{0,8}) ([A-Za-z][A-Za-z0-9_-]{0,39})$/.exec(text) ?? [];
  return name === undefined ? undefined : { name, revision: Number(revision) };
}
