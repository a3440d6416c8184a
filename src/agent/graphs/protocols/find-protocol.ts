import { agentInboxProtocol } from './agent-inbox.ts';
import { hitlMiddlewareProtocol } from './hitl-middleware.ts';
import { perCallProtocol } from './per-call.ts';
import { plainQuestion } from './plain-question.ts';
import type { Protocol } from './protocol.ts';

const KNOWN = [perCallProtocol, agentInboxProtocol, hitlMiddlewareProtocol] as const;

/** Finds the protocol of an interrupt's value. An unknown value is a plain question. */
export function findProtocol(value: unknown): Protocol {
  return KNOWN.find((protocol) => protocol.parse(value) !== undefined) ?? plainQuestion;
}
