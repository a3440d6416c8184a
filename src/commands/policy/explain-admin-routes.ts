import { DEFAULT_DATA_DIR } from '../../config/setting-variables.ts';
import {
  type AdminRoutes,
  findAdminRoute,
  NO_ADMIN_ROUTES,
} from '../../domain/policy/admin-routes.ts';
import { combineGateAnswer } from '../../domain/policy/combine-routes.ts';
import { type Evaluation, toGateAnswer } from '../../domain/policy/policy.ts';
import {
  type DraftRoute,
  type PolicyName,
  policyNamesIn,
  type ResolvedName,
  resolveRoutes,
} from '../../domain/policy/policy-routes.ts';
import { type GateAnswer, REQUESTER_ROUTE, type Route } from '../../domain/policy/route.ts';
import { createRouteBook } from '../../stores/repositories/settings.ts';
import { readOffline } from '../../stores/sqlite/read-offline.ts';
import type { CommandDeps } from '../command.ts';

/** The routes set in Slack, or a sentence saying why they are unknown. */
export type StoredAdminRoutes =
  | { readonly kind: 'routes'; readonly book: AdminRoutes }
  | { readonly kind: 'unknown'; readonly why: string };

/** Reads the routes if they are stored on this machine. */
export async function readStoredAdminRoutes({
  env,
}: Pick<CommandDeps, 'env'>): Promise<StoredAdminRoutes> {
  if (env.REDIS_URL?.trim()) {
    const why = 'No routes are set in Slack: those in Redis are not read here.';
    return { kind: 'unknown', why };
  }
  try {
    const dataDir = env.DATA_DIR?.trim() || DEFAULT_DATA_DIR;
    const book = await readOffline(dataDir, NO_ADMIN_ROUTES, (records) =>
      createRouteBook(records).read(),
    );
    return { kind: 'routes', book };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { kind: 'unknown', why: `No routes are set in Slack: they can't be read (${message}).` };
  }
}

/** The result of applying a route set in Slack to the policy's answer. */
export interface AdminRouteEffect {
  readonly evaluation: Evaluation<string>;
  readonly route: DraftRoute | undefined;
  /** The route's name, and whether it replaces the rules or applies beside them. */
  readonly slack?: { readonly route: string; readonly how: 'beside' | 'instead' };
}

/**
 * Applies the routes set in Slack as the gate does. Names stay names; they are not looked up in
 * Slack.
 */
export function applyAdminRoutes(
  policyAnswer: { readonly evaluation: Evaluation<string>; readonly route: DraftRoute | undefined },
  facts: { readonly tool: string; readonly mayLoosen: boolean },
  context: { readonly book: AdminRoutes; readonly drafts: ReadonlyMap<string, DraftRoute> },
): AdminRouteEffect {
  const set = findAdminRoute(context.book, facts.tool);
  if (!set) return policyAnswer;
  const before = toAnswer(policyAnswer.evaluation, resolveByName(context.drafts));
  const after = combineGateAnswer(before, set, { mayLoosen: facts.mayLoosen });
  if (after.kind !== 'ask') return policyAnswer;
  const { risk, route } = after;
  const ruling = { gate: 'ask', route: route.name, ...(risk && { risk }) } as const;
  return {
    evaluation: { ...policyAnswer.evaluation, ruling },
    route: toDraft(route),
    slack: { route: set.name, how: route === set ? 'instead' : 'beside' },
  };
}

function resolveByName(drafts: ReadonlyMap<string, DraftRoute>): ReadonlyMap<string, Route> {
  // Names are used in place of ids, because they are only displayed.
  const unresolved = (name: PolicyName) => name as unknown as ResolvedName;
  return resolveRoutes(
    drafts,
    new Map(policyNamesIn(drafts.values()).map((name) => [name, unresolved(name)])),
  );
}

function toAnswer(evaluation: Evaluation<string>, routes: ReadonlyMap<string, Route>): GateAnswer {
  const { ruling } = evaluation;
  const found =
    ruling.gate === 'ask'
      ? { ...ruling, route: routes.get(ruling.route) ?? REQUESTER_ROUTE }
      : ruling;
  return toGateAnswer({ ...evaluation, ruling: found }, '');
}

function toDraft({ escalate, ...route }: Route): DraftRoute {
  return {
    ...route,
    ...(escalate && { escalate: { afterMs: escalate.afterMs, to: escalate.to.name } }),
  };
}
