/** The expected messages of a week, computed from the routes in the simplest way, without code of the desk. */

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** A route of the week's calls. People are user ids; times are ms from when the call reaches the route. */
export interface WeekRoute {
  readonly name: string;
  readonly people: readonly string[];
  readonly groups: readonly string[];
  readonly quorum: number;
  readonly deadline: number;
  readonly remind?: number;
  readonly escalate?: { readonly after: number; readonly to: WeekRoute };
}

/** What a person does, in ms after the call was made. */
export interface Deed {
  readonly after: number;
  readonly by: string;
  readonly what: 'approve' | 'ignore';
}

/** A call of the week. `again`: how long after it expired somebody asks for it again. */
export interface WeekCall {
  readonly at: number;
  readonly route: WeekRoute;
  readonly deeds: readonly Deed[];
  readonly again?: number;
}

/** The whole app is down from `from` to `to`. */
export interface Outage {
  readonly from: number;
  readonly to: number;
}

/** One message: its time (ms), its kind and whom it mentions. */
export interface Heard {
  readonly at: number;
  readonly what: 'reminder' | 'escalation' | 'answer' | 'again';
  readonly calls: readonly string[];
}

/** How a call ended, and which messages it caused. */
export interface Expected {
  readonly heard: readonly Heard[];
  readonly statuses: readonly string[];
}

interface State {
  route: WeekRoute;
  since: number;
  reminded: boolean;
  voters: string[];
}

/** Simulates one call, and those that replace it when somebody asks again. */
export function expect(call: WeekCall, outages: readonly Outage[]): Expected {
  const heard: Heard[] = [];
  const state: State = { route: call.route, since: call.at, reminded: false, voters: [] };
  const deeds = call.deeds.map((deed) => ({ ...deed, at: call.at + deed.after }));
  for (;;) {
    const { deadline, escalate, remind } = state.route;
    const due = [
      { what: 'expire' as const, at: state.since + deadline },
      ...(escalate ? [{ what: 'escalate' as const, at: state.since + escalate.after }] : []),
      ...(remind && !state.reminded ? [{ what: 'remind' as const, at: state.since + remind }] : []),
    ].map((each) => ({ ...each, at: afterOutage(each.at, outages) }));
    const deed = deeds[0];
    const next = due.reduce((a, b) => (b.at < a.at ? b : a));
    if (deed && deed.at < next.at) {
      deeds.shift();
      const end = carryOut(deed, state);
      if (end === undefined) continue;
      // After an ignore the agent says nothing more.
      if (end === 'succeeded') heard.push({ at: deed.at, what: 'answer', calls: [] });
      return { heard, statuses: [end] };
    }
    const { at } = next;
    if (next.what === 'remind') {
      state.reminded = true;
      heard.push({ at, what: 'reminder', calls: missing(state) });
    } else if (next.what === 'escalate' && escalate) {
      Object.assign(state, { route: escalate.to, since: at, reminded: false, voters: [] });
      heard.push({ at, what: 'escalation', calls: missing(state) });
    } else {
      heard.push({ at, what: 'answer', calls: [] });
      return askAgain(call, at, { heard, statuses: ['expired'] }, outages);
    }
  }
}

function askAgain(
  call: WeekCall,
  expiredAt: number,
  before: Expected,
  outages: readonly Outage[],
): Expected {
  if (call.again === undefined) return before;
  const at = afterOutage(expiredAt + call.again, outages);
  const next = expect({ at, route: call.route, deeds: [] }, outages);
  return {
    heard: [...before.heard, { at, what: 'again', calls: [] }, ...next.heard],
    statuses: [...before.statuses, ...next.statuses],
  };
}

/** The end of the call; undefined if it continues, for example because the person may not decide any more. */
function carryOut({ by, what }: Deed, state: State): 'succeeded' | 'ignored' | undefined {
  const { people, quorum } = state.route;
  if (!people.includes(by)) return undefined;
  if (what === 'ignore') return 'ignored';
  if (!state.voters.includes(by)) state.voters.push(by);
  return state.voters.length >= quorum ? 'succeeded' : undefined;
}

function missing({ route, voters }: State): readonly string[] {
  return [...route.people.filter((user) => !voters.includes(user)), ...route.groups];
}

function afterOutage(at: number, outages: readonly Outage[]): number {
  return outages.find(({ from, to }) => at >= from && at < to)?.to ?? at;
}
