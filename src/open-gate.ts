import { createPolicyGate } from './desk/policy-gate.ts';
import { createRoutedGate } from './desk/routed-gate.ts';
import type { Clock } from './domain/clock.ts';
import type { Helper } from './domain/helper.ts';
import type { Log } from './domain/log.ts';
import { type LoadedPolicy, lookBackOf } from './domain/policy.ts';
import { defaultGate, type Gate } from './domain/route.ts';
import type { Store } from './domain/store.ts';
import type { Toolbox } from './domain/tool.ts';
import { watchPolicy } from './policy/watch-policy.ts';
import type { SlackConnection } from './slack/connect-slack.ts';
import { createSlackNames } from './slack/slack-names.ts';
import { createSlackPeople } from './slack/slack-people.ts';
import { steeringFileProblems } from './steering-problems.ts';

/** The gate, and the rules of the policy file behind it as they hold now. */
export interface OpenedGate {
  readonly gate: Gate;
  /** Undefined where the built-in rules hold. */
  readonly policy: () => LoadedPolicy | undefined;
  /** How far back it looks at calls, in milliseconds. */
  lookBackMs(): number;
}

/** Opens the gate that the settings name: the rules of a policy file, watched until the release, or the built-in ones; with the routes that are set in Slack. */
export async function openGate(
  { policyFile, workspaceDir }: { readonly policyFile?: string; readonly workspaceDir: string },
  deps: {
    readonly store: Store;
    readonly connection: SlackConnection;
    readonly toolbox: Toolbox;
    /** Those whom rules may name. */
    readonly helpers: readonly Pick<Helper, 'name'>[];
    readonly clock: Clock;
    readonly log: Log;
    readonly onRelease: (release: () => Promise<void>) => void;
  },
): Promise<OpenedGate> {
  const { routes } = deps.store;
  if (policyFile === undefined) {
    const gate = createRoutedGate({ gate: defaultGate, routes, mayLoosen: () => false });
    return { gate, policy: () => undefined, lookBackMs: () => 0 };
  }
  const { clock, connection, helpers, log, store, toolbox } = deps;
  const namesOf = (all: readonly { readonly name: string }[]) => all.map(({ name }) => name);
  const watch = await watchPolicy({
    path: policyFile,
    problemsOfPlace: (path) => steeringFileProblems('POLICY_FILE', path, workspaceDir),
    names: createSlackNames({ connection }),
    known: {
      // Those of servers come and go.
      get tools() {
        return namesOf(toolbox.list());
      },
      agents: namesOf(helpers),
    },
    audit: store.audit,
    clock,
    log,
  });
  deps.onRelease(async () => watch.stop());
  const people = createSlackPeople({ connection, clock });
  const gate = createPolicyGate({ policy: watch.current, store, people, clock, log });
  const mayLoosen = () => watch.current().policy.slackMayLoosen === true;
  return {
    gate: createRoutedGate({ gate, routes, mayLoosen }),
    policy: watch.current,
    lookBackMs: () => lookBackOf(watch.current().policy),
  };
}
