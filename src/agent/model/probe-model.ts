/** One small request with one tool, which tells before anybody waits whether the model can be worked with. */
import { HumanMessage, SystemMessage } from '@langchain/core/messages';
import { z } from 'zod';
import type { Clock } from '../../domain/ports/clock.ts';
import { defineTool } from '../tools/define-tool.ts';
import { askModel } from './ask-model.ts';
import { isJson } from './collect-answer.ts';
import type { ChatModel } from './create-chat-model.ts';
import type { ModelFailure } from './model-failure.ts';

/** What a model's server did with the request. */
export interface ModelProbe {
  /** `unknown`: it failed before that could be seen. */
  readonly tools: 'called' | 'not called' | 'refused' | 'unknown';
  /** Whether the arguments of the call were whole JSON. */
  readonly hasWholeArguments: boolean;
  /** Whether it told how many tokens it took. */
  readonly tellsTokens: boolean;
  /** How long it took, in milliseconds. */
  readonly tookMs: number;
  readonly failure?: ModelFailure;
  /** The server's own words about the failure, without secrets. */
  readonly said?: string;
  /** Why the connection failed, where it did. */
  readonly cause?: string;
}

/** The name of the tool that a probe asks for. */
const PROBE_TOOL = 'countersign_ready';

/** Asks a model to call a tool that does nothing; a failure is a result, and only the signal makes it reject. */
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
    tellsTokens: spent.tokens !== undefined,
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
