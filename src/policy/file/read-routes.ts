import { countApprovers, type DraftRoute } from '../../domain/policy/policy-routes.ts';
import { REQUESTER_ROUTE } from '../../domain/policy/route.ts';
import { formatDuration } from '../../domain/text/duration.ts';
import { type RouteInput, RouteSchema } from './policy-schema.ts';
import type { ProblemReporter } from './problem-reporter.ts';
import { readValue, suggestName } from './read-value.ts';

const BUILT_IN = REQUESTER_ROUTE.name;
const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,39}$/;

/** Parses the routes of a file. Reports problems, and leaves out routes it can't read. */
export function readRoutes(
  inputs: Readonly<Record<string, unknown>>,
  report: ProblemReporter,
): ReadonlyMap<string, DraftRoute> {
  const names = [...Object.keys(inputs), BUILT_IN];
  const routes = new Map<string, DraftRoute>();
  for (const [name, value] of Object.entries(inputs)) {
    const path = ['routes', name];
    const problem = checkName(name);
    if (problem) report.errorAtKey(path, problem);
    const place = { path, what: `the route “${name}”`, report };
    const { value: input } = readValue(RouteSchema, value, place);
    if (!input) continue;
    checkTimes(name, input, report);
    checkEscalation(name, input, names, report);
    const route = toRoute(name, input);
    checkApprovers(route, report);
    routes.set(name, route);
  }
  for (const name of findCycles(routes)) {
    report.error(
      ['routes', name, 'escalate', 'to'],
      `The route “${name}” escalates in a circle. Remove one of these escalations, or let it end at ${BUILT_IN}.`,
    );
  }
  return routes;
}

function checkName(name: string): string | undefined {
  if (name === BUILT_IN) {
    return `The route “${BUILT_IN}” is built in. Give this one another name.`;
  }
  if (NAME.test(name)) return undefined;
  return `“${name}” can't be the name of a route: use 1 to 40 letters, digits, “-” or “_”, starting with a letter.`;
}

function toRoute(name: string, input: RouteInput): DraftRoute {
  const { approvers, quorum, selfApproval, decisions, deadline } = input;
  const { channel, remindAfter, escalate, requireReason, allowGuests } = input;
  return {
    name,
    approvers: [...new Set(approvers)],
    quorum,
    selfApproval,
    decisions: [...new Set(decisions)],
    deadlineMs: deadline,
    ...(channel !== undefined && { channel }),
    ...(remindAfter !== undefined && { remindAfterMs: remindAfter }),
    ...(escalate && { escalate: { afterMs: escalate.after, to: escalate.to } }),
    ...(requireReason && { requiresReason: true }),
    ...(allowGuests && { allowsGuests: true }),
  };
}

function checkTimes(name: string, input: RouteInput, report: ProblemReporter): void {
  const { deadline, remindAfter, escalate } = input;
  const path = ['routes', name];
  const describeTooLate = (ms: number) =>
    `${formatDuration(ms)} is not before the deadline of ${formatDuration(deadline)}, so it would never happen. Make it shorter, or the deadline longer.`;
  if (remindAfter !== undefined && remindAfter >= deadline) {
    report.error([...path, 'remindAfter'], describeTooLate(remindAfter));
  }
  if (escalate && escalate.after >= deadline) {
    report.error([...path, 'escalate', 'after'], describeTooLate(escalate.after));
  }
}

function checkEscalation(
  name: string,
  { escalate }: RouteInput,
  names: readonly string[],
  report: ProblemReporter,
): void {
  if (!escalate || names.includes(escalate.to)) return;
  const others = names.filter((other) => other !== name);
  report.error(
    ['routes', name, 'escalate', 'to'],
    `There is no route “${escalate.to}”.${suggestName(escalate.to, others)}`,
  );
}

function checkApprovers(route: DraftRoute, report: ProblemReporter): void {
  const { name, approvers, decisions } = route;
  const path = ['routes', name];
  if (!decisions.includes('approve')) {
    const edits = decisions.includes('edit') ? ' An edit without “approve” runs nothing.' : '';
    report.warn([...path, 'decisions'], `Nobody can approve on the route “${name}”.${edits}`);
  }
  if (approvers.length === 0) {
    report.warn(
      [...path, 'approvers'],
      `The route “${name}” has no approvers: nobody can decide its calls, so all of them expire. To refuse them at once, use gate: refuse.`,
    );
  }
  const problem = findQuorumProblem(route);
  if (problem) report.error([...path, problem.key], problem.message);
  const own = approvers.indexOf('requester');
  if (own === -1 || route.selfApproval || problem) return;
  report.warn(
    [...path, 'approvers', own],
    `On the route “${name}” the requester’s own approval never counts. Remove “requester”, or add selfApproval: true.`,
  );
}

/** Finds a quorum that can't be reached, if all approvers are known by id. */
export function findQuorumProblem({
  name,
  approvers,
  quorum,
  selfApproval,
}: Pick<DraftRoute, 'name' | 'approvers' | 'quorum' | 'selfApproval'>):
  | { readonly key: string; readonly message: string }
  | undefined {
  const counting = countApprovers(approvers, selfApproval);
  if (counting === undefined || approvers.length === 0) return undefined;
  if (counting === 0) {
    return {
      key: 'approvers',
      message: `On the route “${name}” only the requester decides, but their own approval does not count. Add others, or selfApproval: true.`,
    };
  }
  if (quorum <= counting) return undefined;
  const only = counting === 1 ? 'only one person' : `only ${counting} people`;
  return {
    key: 'quorum',
    message: `On the route “${name}” ${only} can approve, but ${quorum} must. Lower the quorum, or add approvers.`,
  };
}

/** Returns the routes whose escalation leads back to themselves. */
function findCycles(routes: ReadonlyMap<string, DraftRoute>): readonly string[] {
  return [...routes.keys()].filter((start) => {
    const seen = new Set<string>();
    let at = routes.get(start)?.escalate?.to;
    while (at !== undefined && at !== start && !seen.has(at)) {
      seen.add(at);
      at = routes.get(at)?.escalate?.to;
    }
    return at === start;
  });
}
