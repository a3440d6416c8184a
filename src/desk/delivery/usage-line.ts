import type { InboxMessage, Usage } from '../../domain/threads/message.ts';

/** What a turn took, for the log and the audit: milliseconds from its message to its last word, and its usage where that is known. */
export function turnUsageFacts(
  message: Pick<InboxMessage, 'receivedAt'>,
  usage: Usage | undefined,
  now: number,
): { readonly [name: string]: number } {
  return { ms: now - message.receivedAt, ...usage };
}

/** Says what a turn took of the model, in a line for people. */
export function describeUsage(usage: Usage | undefined): string {
  if (usage === undefined) return 'The model’s server tells no token counts.';
  const { inputTokens, outputTokens, modelMs } = usage;
  const sums = [`${count(inputTokens)} tokens in`, `${count(outputTokens)} out`];
  return [...sums, spell(modelMs)].join(' · ');
}

function count(tokens: number): string {
  return tokens.toLocaleString('en');
}

function spell(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 1) return 'under 1 s';
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
