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
import { answerForTools, mayRun, mayRunAll, unpackTools } from './tool-execution.ts';

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
  parse: (value) => read(value)?.flatMap(toCalls),
  encode: (value, decisions) =>
    groupDecisions(value, decisions).map(({ request, own }) => answer(request, own)),
  lost: (value, decisions) =>
    groupDecisions(value, decisions).flatMap(({ own, start }) =>
      own.flatMap((each, at) => (mayRun(each) && !mayRunAll(own) ? [start + at] : [])),
    ),
};

interface DecidedRequest {
  readonly request: Request;
  /** The decisions about its calls. */
  readonly own: readonly ForeignDecision[];
  /** The index of the first one among all. */
  readonly start: number;
}

function groupDecisions(
  value: unknown,
  decisions: readonly ForeignDecision[],
): readonly DecidedRequest[] {
  const requests = read(value);
  assertParsed(agentInboxProtocol.name, requests?.flatMap(toCalls), decisions);
  let end = 0;
  return (requests ?? []).map((request) => {
    const start = end;
    end += toCalls(request).length;
    return { request, own: decisions.slice(start, end), start };
  });
}

/** A request is one call, unless it names several tools. */
function toCalls(request: Request): readonly ForeignRequest[] {
  const whole = toForeign(request);
  const tools = unpackTools(whole);
  return tools.length > 0 ? tools : [whole];
}

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

function answer(request: Request, decisions: readonly ForeignDecision[]): JsonValue {
  const { action_request } = request;
  if (unpackTools(toForeign(request)).length > 0)
    return answerForTools(action_request.args, decisions);
  const [decision] = decisions;
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
