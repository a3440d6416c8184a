/** The calls of the simulated agent, by the first word of the message: batches of tools, one after the other. */
const PLANS: Readonly<Record<string, readonly (readonly LabToolName[])[]>> = {
  talk: [],
  pay: [['pay']],
  two: [['pay', 'pay']],
  mixed: [['look', 'pay', 'guard']],
  pair: [['pair']],
  both: [['pair', 'pay']],
  send: [['send']],
  chain: [['pay'], ['look', 'send']],
};

/**
 * `pay` and `send` ask the requester, `guard` the requester or U2 but not for their own call,
 * `pair` both U2 and U3; `look` asks nobody. `send` and `look` are idempotent.
 */
export type LabToolName = 'pay' | 'send' | 'guard' | 'pair' | 'look';

/** The first words that the agent understands. */
export const PLAN_NAMES: readonly string[] = Object.keys(PLANS);

/** Returns the batches for a message; none for any other text. */
export function planOf(text: string): readonly (readonly LabToolName[])[] {
  return PLANS[text.split(' ')[0] ?? ''] ?? [];
}
