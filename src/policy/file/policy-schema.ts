import { z } from 'zod';
import type { DraftRoute } from '../../domain/policy/policy-routes.ts';
import { formatDuration, parseDuration } from '../../domain/text/duration.ts';

/** A deadline further away is as good as none. */
const MAX_SPAN_MS = 30 * 86_400_000;
const MAX_CONDITION = 4_000;

const DURATION_IS = 'is a duration, like 45s, 30m, 4h or 2d';

const duration = z
  .string(DURATION_IS)
  .refine((text) => parseDuration(text) !== undefined, DURATION_IS)
  .transform((text) => parseDuration(text) ?? 0)
  .refine((ms) => ms <= MAX_SPAN_MS, `is at most ${formatDuration(MAX_SPAN_MS)}`);

const flag = z.boolean('is true or false');

type NamedApprover = DraftRoute['approvers'][number];

const APPROVER =
  /^(?:requester|user:[UW][A-Z0-9]{1,39}|usergroup:S[A-Z0-9]{1,39}|channel:[CG][A-Z0-9]{1,39}|#[^\s#@]{1,80}|@[^\s#@]{1,80})$/;
const APPROVER_IS =
  'is requester, user:U012AB3CD, usergroup:S012AB3CD, channel:C012AB3CD, or a name in quotes: "@handle", "#channel"';

const CHANNEL_IS = 'is a channel’s id, like C012AB3CD, or its name in quotes, like "#ops"';

const decision = z.enum(['approve', 'edit', 'reply', 'ignore'], {
  error: 'is one of approve, edit, reply and ignore',
});

/** One route. The message of each key says what its value must be. */
export const RouteSchema = z.strictObject(
  {
    channel: z
      .string(CHANNEL_IS)
      .regex(/^(?:[CG][A-Z0-9]{1,39}|#[^\s#@]{1,80})$/, CHANNEL_IS)
      .optional(),
    approvers: z.array(
      z.string(APPROVER_IS).regex(APPROVER, APPROVER_IS) as unknown as z.ZodType<NamedApprover>,
      `is a list; each of it ${APPROVER_IS}. An empty list, [], is nobody`,
    ),
    quorum: z
      .int('is how many people have to approve: a whole number, from 1')
      .min(1, 'is how many people have to approve: a whole number, from 1')
      .max(50, 'is at most 50')
      .default(1),
    selfApproval: flag.default(false),
    decisions: z
      .array(decision, 'is a list of what people may do: approve, edit, reply, ignore')
      .min(1, 'is a list of what people may do: approve, edit, reply, ignore')
      .default(['approve', 'edit', 'reply', 'ignore']),
    deadline: duration.default(24 * 3_600_000),
    remindAfter: duration.optional(),
    escalate: z
      .strictObject(
        { after: duration, to: z.string('is the name of a route') },
        'says when a call escalates, and to which route, like { after: 2h, to: requester }',
      )
      .optional(),
    requireReason: flag.default(false),
    allowGuests: flag.default(false),
  },
  'is a route, with approvers and what else it needs',
);

export type RouteInput = z.output<typeof RouteSchema>;

const TOOL_IS = 'is the name of a tool, or a pattern in which * stands for anything, like "pay_*"';
const tool = z
  .string(TOOL_IS)
  .regex(/^[\p{L}\p{N}_.:/*-]{1,140}$/u, `${TOOL_IS}; there are no other wildcards`);
const AGENT_IS =
  'is an agent, like helper:research, key:deploy-bot or graph:my-agent, or a list of them; * stands for anything';
const agent = z
  .string(AGENT_IS)
  .regex(/^(?! )[\p{L}\p{N} _.:/*-]{1,160}(?<! )$/u, `${AGENT_IS}; there are no other wildcards`);

const ruling = {
  route: z.string('is the name of a route').optional(),
  risk: z.enum(['low', 'medium', 'high'], { error: 'is low, medium or high' }).optional(),
  reason: z
    .string('is a sentence for the agent and for people')
    .regex(/\S/, 'is a sentence for the agent and for people')
    .max(500, 'is at most 500 characters long')
    .optional(),
};

/** One rule. */
export const RuleSchema = z.strictObject(
  {
    tools: z
      .array(tool, 'is a list of names of tools, like [write_file, "pay_*"]')
      .min(1, 'is a list of names of tools, like [write_file, "pay_*"]'),
    agent: z
      .union([agent.transform((name) => [name]), z.array(agent).min(1)], { error: AGENT_IS })
      .optional(),
    when: z
      .string('is a condition, like args.amount > 10000')
      .regex(/\S/, 'is a condition, like args.amount > 10000')
      .max(MAX_CONDITION, `is at most ${MAX_CONDITION} characters long`)
      .optional(),
    gate: z.enum(['run', 'ask', 'refuse'], { error: 'is run, ask or refuse' }),
    ...ruling,
  },
  'is a rule, like { tools: [read_file], gate: run }',
);

export type RuleInput = z.output<typeof RuleSchema>;

/** The answer for calls that match no rule. */
export const DefaultSchema = z.strictObject(
  {
    gate: z.enum(['ask', 'refuse'], {
      error: ({ input }) =>
        input === 'run'
          ? 'is ask or refuse: calls that match no rule must not run without approval. To allow that, add a last rule: { tools: ["*"], gate: run }'
          : 'is ask or refuse',
    }),
    ...ruling,
  },
  'is the answer for all other calls, like { gate: ask, route: requester }',
);

export type DefaultInput = z.output<typeof DefaultSchema>;

const REDACTED_IS = 'is a list of arguments by their dotted paths, like [password, "headers.*"]';

/** Arguments that are never shown. */
export const RedactSchema = z.strictObject(
  {
    tools: z
      .array(tool, 'is a list of names of tools, like ["vault__*"]')
      .min(1, 'is a list of names of tools, like ["vault__*"]'),
    args: z
      .array(
        z
          .string(REDACTED_IS)
          .regex(/^[^.]+(?:\.[^.]+)*$/, REDACTED_IS)
          .max(200),
        REDACTED_IS,
      )
      .min(1, REDACTED_IS),
  },
  'says what is hidden, like { tools: ["vault__*"], args: [password] }',
);

function isMapping(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The whole file. Routes, rules and the default are parsed one by one. */
export const FileSchema = z.strictObject(
  {
    version: z.literal(1, 'is 1, the only version'),
    onPolicyError: z.enum(['ask', 'run'], { error: 'is ask or run' }).default('ask'),
    slackMayLoosen: flag.default(false),
    // A zod record would silently drop the name “__proto__”.
    routes: z
      .custom<Readonly<Record<string, unknown>>>(isMapping, 'holds routes by their names')
      .nullish()
      .transform((routes) => routes ?? {}),
    rules: z
      .array(z.unknown(), 'is a list of rules')
      .nullish()
      .transform((rules) => rules ?? []),
    redact: z
      .array(z.unknown(), 'is a list of hidden arguments and their tools')
      .nullish()
      .transform((redact) => redact ?? []),
    default: z.unknown().optional(),
  },
  'holds version: 1, routes, rules, redact and default',
);
