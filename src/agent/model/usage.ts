import type { ModelCost, TokenCount, Usage } from '../../domain/threads/message.ts';

/** Adds two costs. */
export function addModelCost(before: ModelCost | undefined, added: ModelCost): ModelCost {
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

/** Converts a cost to the usage shown to people; undefined if the provider reported no tokens. */
export function toUsage(spent: ModelCost | undefined): Usage | undefined {
  if (spent?.tokens === undefined) return undefined;
  const { requests, modelMs, tokens } = spent;
  return { requests, inputTokens: tokens.input, outputTokens: tokens.output, modelMs };
}
