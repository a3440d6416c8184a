/** The tools and the policy of the crash runs: the worker enforces it, and the checker judges by it. */
import {
  type GateAnswer,
  type GateFacts,
  REQUESTER_ROUTE,
  type Route,
} from '../../../src/domain/policy/route.ts';

/** A tool of the runs; all effects go through the tool server. */
export interface RunTool {
  /** May run again with the same key. */
  readonly idempotent: boolean;
  /** Undefined: it runs unasked. */
  readonly route: Route | undefined;
  /** The route in the terms of the checker, so that it does not trust the code that it judges: whose approvals count, and how many are needed. For a tool that runs unasked, the route of a rerun. */
  readonly counts: { readonly people: readonly string[]; readonly needed: number };
}

const BY_REQUESTER = { people: ['T1/U1'], needed: 1 } as const;
const BY_TWO_OTHERS = { people: ['T1/U2', 'T1/U3'], needed: 2 } as const;

const TWO_OTHERS: Route = {
  ...REQUESTER_ROUTE,
  name: 'two-others',
  approvers: ['requester', 'user:U2', 'user:U3'],
  quorum: 2,
  selfApproval: false,
};

export const RUN_TOOLS: Readonly<Record<string, RunTool>> = {
  pay: { idempotent: false, route: TWO_OTHERS, counts: BY_TWO_OTHERS },
  post: { idempotent: false, route: REQUESTER_ROUTE, counts: BY_REQUESTER },
  tag: { idempotent: true, route: REQUESTER_ROUTE, counts: BY_REQUESTER },
  peek: { idempotent: true, route: undefined, counts: BY_REQUESTER },
  note: { idempotent: false, route: undefined, counts: BY_REQUESTER },
};

/** The gate of the runs. */
export function runGate({ tool }: GateFacts): GateAnswer {
  const route = RUN_TOOLS[tool]?.route;
  return route ? { kind: 'ask', route } : { kind: 'run' };
}
