import { z } from 'zod';
import type { ToolDefinition } from '../../../src/agent/tools/define-tool.ts';
import type { Gate } from '../../../src/domain/policy/route.ts';

/** Where a worker stands still: before and after the write of a claim, in the tool when its effect is there, before the write of a run's end, and before that of a turn's. */
export type StopPoint = 'claim' | 'claimed' | 'run' | 'finish' | 'history';

/** What the process of a worker is told on its command line. */
export type WorkerOrder = {
  readonly modelUrl: string;
  /** The file that effects are written to. */
  readonly effects: string;
  readonly leaseMs: number;
} & (
  | { readonly url: string; readonly prefix: string }
  /** On a file there is one process: what it is asked, it asks itself. */
  | { readonly dataDir: string; readonly asks: readonly string[] }
);

/** Nobody is asked: what is proposed runs. */
export const RUN_ALL: Gate = () => ({ kind: 'run' });

/** `act` and `act_again`, which may run again with the same key; both hand what they are given to `effect`. */
export function effectTools(
  effect: (note: string, key: string) => void,
): readonly ToolDefinition[] {
  return (['act', 'act_again'] as const).map((name) => ({
    name,
    description: 'Acts.',
    idempotent: name === 'act_again',
    schema: z.object({ note: z.string() }),
    async run(args, { idempotencyKey }) {
      const { note } = z.object({ note: z.string() }).parse(args);
      effect(note, idempotencyKey);
      return `did ${note}`;
    },
  }));
}
