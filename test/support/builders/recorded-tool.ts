import { z } from 'zod';
import type { ToolDefinition } from '../../../src/agent/tools/define-tool.ts';

/** A tool that records its arguments. */
export interface RecordedTool {
  readonly definition: ToolDefinition;
  readonly runs: { readonly note: string; readonly key: string }[];
  /** From now on a run waits until the returned function is called, or until it is aborted, unless it ignores that. */
  hold(how?: 'deaf'): () => void;
  /** From now on a run fails with this message. */
  failWith(message: string | undefined): void;
}

/** Creates a tool `act(note)` that records its runs. */
export function createRecordedTool(
  options: { readonly name?: string; readonly idempotent?: boolean } = {},
): RecordedTool {
  const runs: { note: string; key: string }[] = [];
  let gate: Promise<void> = Promise.resolve();
  let isDeaf = false;
  let failure: string | undefined;
  return {
    runs,
    hold(how) {
      isDeaf = how === 'deaf';
      let release = () => {};
      gate = new Promise((resolve) => {
        release = resolve;
      });
      return () => release();
    },
    failWith(message) {
      failure = message;
    },
    definition: {
      name: options.name ?? 'act',
      description: 'Acts.',
      idempotent: options.idempotent ?? false,
      schema: z.object({ note: z.string() }),
      async run(args, context) {
        const { note } = z.object({ note: z.string() }).parse(args);
        runs.push({ note, key: context.idempotencyKey });
        await (isDeaf ? gate : Promise.race([gate, untilAborted(context.signal)]));
        if (failure !== undefined) throw new Error(failure);
        return `did ${note}`;
      },
    },
  };
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
