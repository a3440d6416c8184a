import type { AgentMiddleware } from 'langchain';

/** What a call asks. */
export interface CallQuestion {
  readonly countersign: 1;
  readonly call: {
    readonly id: string | undefined;
    readonly name: string;
    readonly args: Readonly<Record<string, unknown>>;
  };
  /** In the agent's words. */
  readonly description?: string;
}

/** What it is resumed with. */
export type CallAnswer =
  | { readonly type: 'approve' }
  | { readonly type: 'edit'; readonly args: Record<string, unknown> }
  | { readonly type: 'reply'; readonly text: string }
  | { readonly type: 'ignore' };

/** Which calls ask; the others run. */
export interface PerCallOptions {
  /** Names of tools. (Default: all of them; the policy of the desk says which of those wait for people.) */
  readonly tools?: readonly string[];
  /** Says to people what a call is about. */
  readonly describe?: (call: CallQuestion['call']) => string;
}

/**
 * Makes the middleware: each tool call asks with an interrupt of its own, so that each decision takes
 * effect at once, whatever the others of the message wait for. The tool runs with the arguments that
 * were decided; what is not run, the model is told.
 */
export function perCallApprovals(options?: PerCallOptions): AgentMiddleware;
