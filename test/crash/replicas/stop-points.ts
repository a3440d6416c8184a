import { z } from 'zod';
import type { ToolDefinition } from '../../../src/agent/tools/define-tool.ts';
import type { Gate } from '../../../src/domain/policy/route.ts';

/** Where a worker is suspended: before and after the write of a claim, in the tool after its effect, before the write of the end of a run, and before that of a turn. */
export type StopPoint = 'claim' | 'claimed' | 'run' | 'finish' | 'history';

/** The command line of a worker process. */
export type WorkerOrder = {
  readonly modelUrl: string;
  /** The file that effects are written to. */
  readonly effects: string;
  readonly leaseMs: number;
} & (
  | { readonly url: string; readonly prefix: string }
  /** A SQLite file has one process, so it sends its own messages. */
  | { readonly dataDir: string; readonly asks: readonly string[] }
);

/** Nobody is asked: proposed calls run. */
export const RUN_ALL: Gate = () => ({ kind: 'run' });

/** `act` and `act_again`, which may run again with the same key; both pass their input to `effect`. */
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
