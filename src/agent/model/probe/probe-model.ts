/** A small request with one tool that shows at startup whether the model is usable. */
import { HumanMessage, SystemMessage } from '@langchain/core/messages';
import { z } from 'zod';
import type { Clock } from '../../../domain/ports/clock.ts';
import { defineTool } from '../../tools/define-tool.ts';
import { askModel } from '../ask-model.ts';
import { isJson } from '../collect-answer.ts';
import type { ChatModel } from '../create-chat-model.ts';
import type { ModelFailure } from '../model-failure.ts';

/** How the model's server handled the request. */
export interface ModelProbe {
  /** `unknown`: the request failed for another reason. */
  readonly tools: 'called' | 'not called' | 'refused' | 'unknown';
  /** Whether the call's arguments were valid JSON. */
  readonly hasWholeArguments: boolean;
  /** Whether the server reported token counts. */
  readonly reportsTokens: boolean;
  /** Duration in milliseconds. */
  readonly tookMs: number;
  readonly failure?: ModelFailure;
  /** The server's message about the failure, without secrets. */
  readonly said?: string;
  /** Why the connection failed, if it did. */
  readonly cause?: string;
}

const PROBE_TOOL = 'countersign_ready';

/**
 * Asks a model to call a tool that does nothing. Returns failures as results; rejects only on
 * abort.
 */
export async function probeModel(
  model: ChatModel,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<ModelProbe> {
  const made = defineTool({
    name: PROBE_TOOL,
    description: 'Tells that you can call tools.',
    schema: z.object({ ready: z.boolean() }),
    run: () => 'ok',
  });
  if (made.kind !== 'tool') throw new TypeError(`The probe’s tool was left out: ${made.reason}`);
  const messages = [
    new SystemMessage(
      'You check a connection. Answer with a call of the tool, and with nothing else.',
    ),
    new HumanMessage(`Call ${PROBE_TOOL} with {"ready": true}.`),
  ];
  const once = { clock, model: { ...model, maxRetries: 0 } };
  const { calls, cause, failure, said, spent } = await askModel(once, {
    messages,
    tools: [made.tool],
    signal,
  });
  const called = calls.some(({ tool }) => tool === PROBE_TOOL);
  return {
    tools: toolsOf(called, failure),
    hasWholeArguments: called && calls.every(({ args }) => isJson(args)),
    reportsTokens: spent.tokens !== undefined,
    tookMs: spent.modelMs,
    ...(failure && { failure }),
    ...(said !== undefined && { said }),
    ...(cause !== undefined && { cause }),
  };
}

function toolsOf(called: boolean, failure: ModelFailure | undefined): ModelProbe['tools'] {
  if (called) return 'called';
  if (failure === 'no-tools') return 'refused';
  return failure === undefined || failure === 'empty' ? 'not called' : 'unknown';
}
