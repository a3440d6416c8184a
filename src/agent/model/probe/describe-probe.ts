/** Describes the result of a model probe for the operator. */
import type { ChatModel } from '../create-chat-model.ts';
import { type ModelFailure, toolRemedy } from '../model-failure.ts';
import { redactAddress } from '../protocol/connection-failure.ts';
import type { ModelProbe } from './probe-model.ts';

/**
 * `no call`: the model answered with text only. `refused`: its server says that it can't call
 * tools.
 */
export interface ProbeVerdict {
  readonly kind: 'works' | 'no call' | 'refused' | 'failed';
  /** The finding and the remedy. */
  readonly sentence: string;
}

/** Turns a probe's result into a verdict and a sentence. */
export function describeProbe(
  { origin, variables }: Pick<ChatModel, 'origin' | 'variables'>,
  { cause, failure, said = '', tools }: ModelProbe,
): ProbeVerdict {
  if (tools === 'called') return { kind: 'works', sentence: 'The model answers and calls tools.' };
  if (tools === 'refused') return { kind: 'refused', sentence: describeToolRefusal(said) };
  if (tools === 'not called') return { kind: 'no call', sentence: NO_CALL };
  const remedy = (failure && REMEDIES[failure]) ?? OTHER_REMEDY;
  const words = said === '' ? '' : ` (it says “${said}”)`;
  const sentence = `The model did not answer${words}: ${remedy}`
    .replace('{where}', () => describeConnection(origin, cause))
    .replace('{key}', variables.key)
    .replace('{baseUrl}', variables.baseUrl);
  return { kind: 'failed', sentence };
}

function describeConnection(origin: string | undefined, cause: string | undefined): string {
  const address = origin === undefined ? '' : ` at ${redactAddress(origin)}`;
  return cause === undefined ? address : `${address}: ${cause}`;
}

const NO_CALL =
  'The model answers but did not call the tool that it was asked to call. The agent acts through tools: if the model never calls one, set MODEL to one that does, or start its server with tool calls enabled.';

function describeToolRefusal(said: string): string {
  return `The model, or its server, can’t call tools (it says “${said}”), but the agent needs them. To fix this, ${toolRemedy(said)}. To start anyway and chat without tools, set ALLOW_MODEL_WITHOUT_TOOLS=1.`;
}

const OTHER_REMEDY =
  'its server did not accept a request with a tool. Check that the model can call tools, and how its server is started.';
const REMEDIES: Readonly<Partial<Record<ModelFailure, string>>> = {
  auth: 'its server does not accept the key. Check {key}.',
  'no-credit': 'the account has no credit left. Add credit or use another key.',
  'not-found': 'its server does not know the model or the address. Check MODEL and {baseUrl}.',
  'rate-limited': 'its server gets too many requests from this account. Try again in a minute.',
  overloaded: 'its server had an error. Try again in a few minutes.',
  timeout: 'there was no answer in time{where}. Check that the model is loaded, then try again.',
  unreachable: 'its server can’t be reached{where}. Check {baseUrl}, the network and the proxy.',
  'cut-off': 'the answer broke off{where}. Check the proxy and the server’s limits.',
  unreadable: 'its answer can’t be read. Check {baseUrl}: it often ends with /v1.',
  length: 'the answer reached a length limit at once. Raise the server’s limit for output tokens.',
};
