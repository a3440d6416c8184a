import type { Usage } from '../domain/message.ts';

/** Tokens of one answer, as the provider counts them. */
export interface TokenCount {
  readonly input: number;
  readonly output: number;
}

/** What requests to a model took, failed ones included; `tokens` as far as the provider told them. */
export interface Spent {
  readonly requests: number;
  /** Time in which the model was waited for, in milliseconds. */
  readonly modelMs: number;
  readonly tokens?: TokenCount;
}

/** Adds up what was spent. */
export function addSpent(before: Spent | undefined, added: Spent): Spent {
  if (before === undefined) return added;
  const tokens = addTokens(before.tokens, added.tokens);
  return {
    requests: before.requests + added.requests,
    modelMs: before.modelMs + added.modelMs,
    ...(tokens && { tokens }),
  };
}

function addTokens(a: TokenCount | undefined, b: TokenCount | undefined): TokenCount | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return { input: a.input + b.input, output: a.output + b.output };
}

/** Returns what was spent as the desk tells it; undefined when the provider told no tokens. */
export function toUsage(spent: Spent | undefined): Usage | undefined {
  if (spent?.tokens === undefined) return undefined;
  const { requests, modelMs, tokens } = spent;
  return { requests, inputTokens: tokens.input, outputTokens: tokens.output, modelMs };
}
