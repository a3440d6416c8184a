import { agentWritableFileProblems } from '../config/paths/agent-writable-problems.ts';
import { createAdminRouteGate } from '../desk/calls/policy/admin-route-gate.ts';
import { createPolicyGate } from '../desk/calls/policy/policy-gate.ts';
import { keyState } from '../domain/people/api-key.ts';
import { type LoadedPolicy, policyLookBackMs } from '../domain/policy/policy.ts';
import { defaultGate, type Gate } from '../domain/policy/route.ts';
import { rerouteKey } from '../domain/ports/agenda.ts';
import type { Clock } from '../domain/ports/clock.ts';
import type { Log } from '../domain/ports/log.ts';
import type { Store } from '../domain/ports/store.ts';
import type { Helper } from '../domain/tools/helper.ts';
import type { Toolbox } from '../domain/tools/tool.ts';
import { watchPolicy } from '../policy/watch-policy.ts';
import { createSlackNames } from '../slack/people/slack-names.ts';
import { createSlackPeople } from '../slack/people/slack-people.ts';
import type { SlackConnection } from '../slack/transport/connect-slack.ts';

/** The gate and the current policy behind it. */
export interface OpenedGate {
  readonly gate: Gate;
  /** Undefined if the built-in rules apply. */
  readonly policy: () => LoadedPolicy | undefined;
  /** How far back the policy's conditions look at calls, in milliseconds. */
  lookBackMs(): number;
}

/**
 * Opens the gate: a policy file, watched until release, or the built-in rules. Routes set in Slack
 * apply on top.
 */
export async function openGate(
  { policyFile, workspaceDir }: { readonly policyFile?: string; readonly workspaceDir: string },
  deps: {
    readonly store: Store;
    readonly connection: SlackConnection;
    readonly toolbox: Toolbox;
    readonly helpers: readonly Pick<Helper, 'name'>[];
    /** The name of the configured graph that replaces the agent. */
    readonly graph: string | undefined;
    readonly clock: Clock;
    readonly log: Log;
    readonly onRelease: (release: () => Promise<void>) => void;
  },
): Promise<OpenedGate> {
  const { routes } = deps.store;
  if (policyFile === undefined) {
    const gate = createAdminRouteGate({ gate: defaultGate, routes, mayLoosen: () => false });
    return { gate, policy: () => undefined, lookBackMs: () => 0 };
  }
  const { clock, connection, log, store } = deps;
  const watch = await watchPolicy({
    path: policyFile,
    problemsOfPlace: (path) => agentWritableFileProblems('POLICY_FILE', path, workspaceDir),
    names: createSlackNames({ connection }),
    known: () => readKnownNames(deps),
    audit: store.audit,
    onChange: () => rerouteAllCalls(store, clock),
    clock,
    log,
  });
  deps.onRelease(async () => watch.stop());
  const people = createSlackPeople({ connection, clock });
  const gate = createPolicyGate({ policy: watch.current, store, people, clock, log });
  const mayLoosen = () => watch.current().policy.slackMayLoosen === true;
  return {
    gate: createAdminRouteGate({ gate, routes, mayLoosen }),
    policy: watch.current,
    lookBackMs: () => policyLookBackMs(watch.current().policy),
  };
}

/**
 * Schedules rerouting of all pending calls. Needed at the start and after every change of the
 * rules.
 */
export async function rerouteAllCalls(
  { agenda }: Pick<Store, 'agenda'>,
  clock: Clock,
): Promise<void> {
  await agenda.wake([{ key: rerouteKey('all'), dueAt: clock.now() }]);
}

/** Read on each use, because MCP tools and API keys change while the app runs. */
async function readKnownNames({
  clock,
  graph,
  helpers,
  store,
  toolbox,
}: Pick<Parameters<typeof openGate>[1], 'clock' | 'graph' | 'helpers' | 'store' | 'toolbox'>) {
  const now = clock.now();
  const keys = (await store.keys.list()).filter((key) => keyState(key, now) === 'works');
  const ofKind = <Kind extends string>(kind: Kind, all: readonly { readonly name: string }[]) =>
    all.map(({ name }) => ({ kind, name }));
  return {
    tools: toolbox.list().map(({ name }) => name),
    schemaOf: (name: string) => toolbox.get(name)?.schema,
    agents: [
      ...ofKind('helper' as const, helpers),
      ...ofKind('graph' as const, graph === undefined ? [] : [{ name: graph }]),
      ...ofKind('key' as const, keys),
    ],
  };
}
