import type { InboxMessage, Usage } from '../../domain/threads/message.ts';

/** Duration in milliseconds and known token usage of a turn, for the log and the audit. */
export function turnUsageFacts(
  message: Pick<InboxMessage, 'receivedAt'>,
  usage: Usage | undefined,
  now: number,
): { readonly [name: string]: number } {
  return { ms: now - message.receivedAt, ...usage };
}

/** The model usage of a turn, as a line for people. */
export function describeUsage(usage: Usage | undefined): string {
  if (usage === undefined) return 'The model’s server reports no token counts.';
  const { inputTokens, outputTokens, modelMs } = usage;
  const sums = [`${count(inputTokens)} tokens in`, `${count(outputTokens)} out`];
  return [...sums, formatDuration(modelMs)].join(' · ');
}

function count(tokens: number): string {
  return tokens.toLocaleString('en');
}

function formatDuration(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  if (seconds < 1) return 'under 1 s';
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
