import type { AgentMiddleware } from 'langchain';

/** The value of the interrupt that asks about a call. */
export interface CallQuestion {
  readonly countersign: 1;
  readonly call: {
    readonly id: string | undefined;
    readonly name: string;
    readonly args: Readonly<Record<string, unknown>>;
  };
  /** The description that `describe` returned. */
  readonly description?: string;
}

/** The value that resumes the interrupt. */
export type CallAnswer =
  | { readonly type: 'approve' }
  | { readonly type: 'edit'; readonly args: Record<string, unknown> }
  | { readonly type: 'reply'; readonly text: string }
  | { readonly type: 'ignore' };

/** Selects the calls that ask. All others run. */
export interface PerCallOptions {
  /**
   * Names of tools that ask. (Default: all. The app's policy decides which of them wait for
   * people.)
   */
  readonly tools?: readonly string[];
  /** Describes a call to people. */
  readonly describe?: (call: CallQuestion['call']) => string;
}

/**
 * Creates the middleware. Each tool call asks with its own interrupt, so each decision takes effect at
 * once. The tool runs with the approved arguments. If it does not run, the model is told why.
 */
export function perCallApprovals(options?: PerCallOptions): AgentMiddleware;
