import { z } from 'zod';
import type { JsonValue } from '../../../domain/json/json.ts';
import type { DecisionKind } from '../../../domain/policy/route.ts';
import {
  ARGUMENTS,
  assertParsed,
  type ForeignDecision,
  type ForeignRequest,
  type Protocol,
} from './protocol.ts';

/** https://github.com/langchain-ai/agent-inbox#how-do-the-interrupt-and-humanresponse-objects-work */
const REQUEST = z.object({
  action_request: z.object({
    action: z.string(),
    args: ARGUMENTS.default({}),
  }),
  config: z.object({
    allow_accept: z.boolean().default(false),
    allow_edit: z.boolean().default(false),
    allow_respond: z.boolean().default(false),
    allow_ignore: z.boolean().default(false),
  }),
  description: z.string().nullish(),
});

type Request = z.infer<typeof REQUEST>;

/** The interrupts of Agent Inbox: one request or a list, always answered with a list. */
export const agentInboxProtocol: Protocol = {
  name: 'Agent Inbox',
  parse: (value) => read(value)?.map(toForeign),
  encode(value, decisions) {
    const requests = read(value);
    assertParsed('Agent Inbox', requests?.map(toForeign), decisions);
    return (requests ?? []).map((request, index) => answer(request, decisions[index]));
  },
};

function read(value: unknown): readonly Request[] | undefined {
  const list = z
    .array(REQUEST)
    .min(1)
    .safeParse(Array.isArray(value) ? value : [value]);
  return list.success ? list.data : undefined;
}

function toForeign({ action_request, config, description }: Request): ForeignRequest {
  const allowed: readonly (readonly [boolean, DecisionKind])[] = [
    [config.allow_accept, 'approve'],
    [config.allow_edit, 'edit'],
    [config.allow_respond, 'reply'],
    [config.allow_ignore, 'ignore'],
  ];
  return {
    tool: action_request.action,
    args: action_request.args,
    ...(description && { description }),
    decisions: allowed.flatMap(([isAllowed, kind]) => (isAllowed ? [kind] : [])),
  };
}

function answer({ action_request }: Request, decision: ForeignDecision | undefined): JsonValue {
  switch (decision?.kind) {
    case 'approve':
      return { type: 'accept', args: action_request };
    case 'edit':
      return { type: 'edit', args: { action: action_request.action, args: decision.args } };
    case 'reply':
      return { type: 'response', args: decision.text };
    default:
      return { type: 'ignore', args: null };
  }
}
