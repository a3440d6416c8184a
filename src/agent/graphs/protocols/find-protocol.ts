import { agentInbox } from './agent-inbox.ts';
import { hitlMiddleware } from './hitl-middleware.ts';
import { perCall } from './per-call.ts';
import { plain } from './plain-question.ts';
import type { Protocol } from './protocol.ts';

const KNOWN = [perCall, agentInbox, hitlMiddleware] as const;

/** Finds the protocol of an interrupt's value; what is of none is a question. */
export function findProtocol(value: unknown): Protocol {
  return KNOWN.find((protocol) => protocol.parse(value) !== undefined) ?? plain;
}
