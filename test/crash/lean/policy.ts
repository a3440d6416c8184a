/** What the agents of the crash runs can do, and what people have to say to it: the worker asks it, and the checker judges by it. */
import {
  type GateAnswer,
  type GateFacts,
  REQUESTER_ROUTE,
  type Route,
} from '../../../src/domain/route.ts';

/** A tool of the runs; none has an effect but through the tool server. */
export interface RunTool {
  /** May run again with the same key. */
  readonly idempotent: boolean;
  /** Undefined: it runs unasked. */
  readonly route: Route | undefined;
}

const TWO_OTHERS: Route = {
  ...REQUESTER_ROUTE,
  name: 'two-others',
  approvers: ['requester', 'user:U2', 'user:U3'],
  quorum: 2,
  selfApproval: false,
};

export const RUN_TOOLS: Readonly<Record<string, RunTool>> = {
  pay: { idempotent: false, route: TWO_OTHERS },
  post: { idempotent: false, route: REQUESTER_ROUTE },
  tag: { idempotent: true, route: REQUESTER_ROUTE },
  peek: { idempotent: true, route: undefined },
  note: { idempotent: false, route: undefined },
};

/** The gate of the runs. */
export function runGate({ tool }: GateFacts): GateAnswer {
  const route = RUN_TOOLS[tool]?.route;
  return route ? { kind: 'ask', route } : { kind: 'run' };
}
