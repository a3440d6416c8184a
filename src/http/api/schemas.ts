/** Schemas of requests and responses. They validate requests and generate the OpenAPI document. */
import { z } from 'zod';
import { CALL_STATUSES } from '../../domain/calls/call.ts';

const MAX_PAGE = 100;
const DEFAULT_PAGE = 50;

const person = z
  .string()
  .regex(/^[UW][A-Z0-9]{2,39}$/, 'must be a Slack user ID, like U012AB3CD')
  .meta({ examples: ['U012AB3CD'] });

const channel = z
  .string()
  .regex(/^[CGD][A-Z0-9]{2,39}$/, 'must be a Slack channel ID, like C012AB3CD')
  .meta({ examples: ['C012AB3CD'] });

/** An integer schema with one message for every invalid value. */
function whole(min?: number, max?: number, what = '') {
  const range = max === undefined ? '' : ` from ${min ?? 0} to ${max}`;
  const sentence = `must be a whole number${what && ` ${what}`}${range}`;
  let schema = z.number(sentence).int(sentence);
  if (min !== undefined) schema = schema.min(min, sentence);
  if (max !== undefined) schema = schema.max(max, sentence);
  return schema;
}

const digest = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'must be the digest of the approval, 64 hexadecimal digits');

const DECISIONS = ['approve', 'edit', 'reply', 'ignore'] as const;
const RISKS = ['low', 'medium', 'high'] as const;

/** A proposed call is not visible before people were asked. */
const STATUSES = CALL_STATUSES.filter((status) => status !== 'proposed');
const status = z.enum(STATUSES);

const isoTime = z.string().meta({ format: 'date-time', examples: ['2026-01-31T12:00:00.000Z'] });

/** A call as programs and front ends see it. */
export const Approval = z
  .strictObject({
    id: z.string(),
    status,
    revision: whole().meta({ description: 'Grows with each change.' }),
    toolName: z.string(),
    arguments: z.any().meta({
      description: 'With people’s edits. Secrets are hidden from everyone but their sender.',
    }),
    masked: z.boolean().meta({
      description:
        'Whether a part is masked that a person must see before they can approve; open shows it.',
    }),
    digest: digest.meta({
      description: 'Hash of everything that changes the effect. Send it back with consume.',
    }),
    attempt: whole().meta({ description: 'Starts at 1; each edit adds 1.' }),
    edited: z.boolean(),
    requestedAt: isoTime,
    decideBy: isoTime.nullable(),
    requester: z.string(),
    channel: z.string(),
    thread: z.strictObject({ channel: z.string(), ts: z.string() }).nullable(),
    title: z.string().meta({ description: 'The call in one line, in Countersign’s words.' }),
    summary: z
      .string()
      .nullable()
      .meta({ description: 'What the call would do, in the program’s words.' }),
    userMessage: z.string().nullable(),
    description: z.string().nullable(),
    risk: z.enum(RISKS),
    decisions: z.array(z.enum(DECISIONS)).readonly(),
    choices: z
      .array(z.string())
      .readonly()
      .nullable()
      .meta({ description: 'The answers that a question offers.' }),
    approvedBy: z.array(z.string()).readonly(),
    decidedBy: z.string().nullable(),
    reply: z
      .string()
      .nullable()
      .meta({ description: 'A person’s answer in place of an approval.' }),
    reason: z
      .string()
      .nullable()
      .meta({ description: 'Why it was refused, sent back, or is unknown.' }),
    outcome: z.strictObject({ kind: z.string(), text: z.string().optional() }).nullable(),
    metadata: z.any(),
    source: z.strictObject({ kind: z.enum(['agent', 'key', 'graph', 'server']), name: z.string() }),
  })
  .meta({ id: 'Approval' });

const ONE_LINE = /^\S[^\r\n\t\u2028\u2029]{0,149}$/;

const DEADLINE =
  'must be a whole number of seconds from 1 to 2592000, or a time like 2026-01-31T12:00:00Z';

/** A program's request for approval. */
export const NewApproval = z
  .strictObject({
    action: z
      .string()
      .regex(
        /^[A-Za-z0-9][A-Za-z0-9_.:/-]{0,127}$/,
        'must be the name of a tool: up to 128 letters, digits, “_”, “.”, “:”, “/” and “-”',
      )
      .meta({ description: 'The tool.', examples: ['deploy_service'] }),
    args: z.record(z.string(), z.any()).meta({ description: 'The arguments.' }),
    schema: z.record(z.string(), z.any()).optional().meta({
      description: 'JSON Schema of the arguments: people edit them in a form built from it.',
    }),
    summary: z
      .string()
      .regex(ONE_LINE, 'must be one line of 1 to 150 characters')
      .optional()
      .meta({ description: 'What the call would do. Shown to people as the program’s words.' }),
    description: z.string().max(3_000).optional(),
    risk: z.enum(RISKS).optional(),
    channel: channel.optional(),
    requester: person.optional(),
    deadline: z
      .union(
        [whole(1, 2_592_000, 'of seconds'), z.iso.datetime({ offset: true, error: DEADLINE })],
        DEADLINE,
      )
      .optional()
      .meta({ description: 'How long to wait for people: seconds, or a time.' }),
    decisions: z
      .array(z.enum(DECISIONS))
      .min(1)
      .max(DECISIONS.length)
      .optional()
      .meta({ description: 'The decisions that the program supports.' }),
    callbackUrl: z
      .url({ protocol: /^https?$/ })
      .max(2_000)
      .optional(),
    metadata: z.any().optional().meta({ description: 'Returned unchanged.' }),
    choices: z.array(z.string().min(1).max(75)).min(1).max(20).optional(),
    silent: z
      .boolean()
      .optional()
      .meta({ description: 'The program will not report an outcome: consuming ends the call.' }),
  })
  .meta({ id: 'NewApproval' });

/** How long to wait. */
export const WaitQuery = z.strictObject({
  wait: whole(0, 999_999_999, 'of seconds').optional().meta({
    description:
      'Seconds to wait for a decision, at most 50; Preference-Applied tells if it was shortened.',
  }),
  revision: whole(0, 999_999_999)
    .optional()
    .meta({ description: 'Wait until the approval no longer has this revision instead.' }),
});

/** Filters and page size. */
export const ListQuery = z.strictObject({
  status: status.optional(),
  tool: z.string().min(1).max(128).optional(),
  requester: person.optional(),
  after: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .meta({ description: '`next` of the previous page.' }),
  limit: whole(1, MAX_PAGE).default(DEFAULT_PAGE),
});

/** A page of approvals. */
export const Page = z
  .strictObject({
    approvals: z.array(Approval),
    next: z.string().nullable().meta({ description: '`after` of the next page.' }),
    note: z.string().optional().meta({ description: 'Why the list may be incomplete.' }),
  })
  .meta({ id: 'Page' });

/** Repeating a request with the same key returns the same approval. */
export const IdempotencyHeader = z.object({
  'idempotency-key': z
    .string()
    .regex(/^[\x20-\x7e]{1,255}$/, 'must be 1 to 255 characters of ASCII')
    .optional(),
});

/** Which version of the call the program consumes. */
export const Consume = z.strictObject({ digest }).meta({ id: 'Consume' });

/** A consumed call, which the program may run once. */
export const Consumed = z
  .strictObject({
    token: z.string().meta({
      description:
        'A JWS (EdDSA; the key is in /api/jwks.json) that proves that these arguments were approved: jti, sub (the approval), tool, digest, argsHash (SHA-256 of the RFC 8785 text of the arguments), aud “countersign:consume”, exp within 60 seconds.',
    }),
    approval: Approval,
  })
  .meta({ id: 'Consumed' });

/** Outcome of a call. */
export const Report = z
  .strictObject({
    outcome: z.strictObject({
      status: z.enum(['succeeded', 'failed']),
      text: z.string().max(100_000).optional(),
    }),
  })
  .meta({ id: 'Report' });

/** A person’s approval. */
export const Approve = z
  .strictObject({
    modifiedArguments: z
      .record(z.string(), z.any())
      .optional()
      .meta({ description: 'All arguments, as they should run. A hidden secret keeps its value.' }),
    digest: digest.optional().meta({
      description:
        'The digest that the person saw; required once the approval was edited or shown again.',
    }),
    reason: z.string().max(300).optional(),
  })
  .meta({ id: 'Approve' });

/** A person’s rejection. */
export const Reject = z
  .strictObject({
    reason: z.string().max(3_000).optional().meta({
      description:
        'With a reason the program gets it as a reply; without one, the call is ignored.',
    }),
    digest: digest.optional(),
  })
  .meta({ id: 'Reject' });

/** Body of every error response. */
export const ProblemBody = z
  .strictObject({
    type: z.string(),
    title: z.string(),
    status: whole(100, 599),
    detail: z.string().meta({ description: 'What happened, and what to do.' }),
    errors: z
      .array(
        z.strictObject({ path: z.array(z.union([z.string(), z.number()])), message: z.string() }),
      )
      .optional(),
  })
  .meta({ id: 'Problem' });
