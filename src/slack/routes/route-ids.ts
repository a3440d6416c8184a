/** Slack ids of the list of routes and of the form of a route. */
export const ROUTE_ACTIONS = {
  manage: 'route.manage',
  add: 'route.add',
  change: 'route.change',
  remove: 'route.remove',
  /** A channel was selected in the form. */
  channel: 'route.channel',
  /** Switch to the second step of the form, or back to the first. */
  more: 'route.more',
  back: 'route.back',
  /** Search for user groups in the form. */
  groups: 'route.groups',
} as const;

export const ROUTE_VIEWS = { list: 'route.list', form: 'route.form.submit' } as const;

/** The blocks of the form, each with one field. */
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

/** The action id of fields that need none of their own. */
export const FIELD = 'value';

/** Encodes the value of a route's button: its name and the revision shown. */
export function encodeRouteToken(name: string, revision: number): string {
  return `${revision} ${name}`;
}

/** Parses a button's value; undefined for anything that `encodeRouteToken` did not write. */
export function parseRouteToken(
  text: string,
): { readonly name: string; readonly revision: number } | undefined {
  const [, revision, name] = /^([1-9][0-9]{0,8}) ([A-Za-z][A-Za-z0-9_-]{0,39})$/.exec(text) ?? [];
  return name === undefined ? undefined : { name, revision: Number(revision) };
}
