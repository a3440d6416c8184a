import type { z } from 'zod';
import type { ExternalCaller, ExternalRequest } from '../../../desk/external/external-request.ts';
import { SENDER_VIEW, toApproval } from '../../../domain/cards/approval-view.ts';
import { type ApiKey, mayNameRequesters, mayRequest } from '../../../domain/people/api-key.ts';
import type { FieldProblem } from '../../../domain/tools/tool.ts';
import type { ApiDeps } from '../api-deps.ts';
import { programsOnlyProblem } from '../auth/key-only.ts';
import { createOperation } from '../operation.ts';
import { problemResponse } from '../problem.ts';
import { jsonResponse, problemResponses } from '../response-schemas.ts';
import { Approval, IdempotencyHeader, NewApproval } from '../schemas.ts';

type Body = z.output<typeof NewApproval>;

/** Why a request is not allowed as it is. */
interface Refusal {
  readonly status: 403 | 422;
  readonly why: string;
}

const DAY_MS = 86_400_000;
const MAX_MS = 30 * DAY_MS;
const RETRY_S = 30;

/** Creates the operation by which a program requests an approval. */
export function createRequestApproval({ clientAddress, clock, outside, team }: ApiDeps) {
  return createOperation(
    {
      method: 'post',
      path: '/api/approvals',
      operationId: 'requestApproval',
      summary: 'Requests approval of a call',
      answers: {
        201: jsonResponse(Approval, 'Stored. People are asked, or the policy has already decided.'),
        200: jsonResponse(Approval, 'The same request was made before with this Idempotency-Key.'),
        ...problemResponses(403, 409, 422),
      },
    },
    { headers: IdempotencyHeader, body: NewApproval, needsBody: true },
    async ({ c, caller, headers, body }) => {
      if (caller.kind === 'person') return programsOnlyProblem(c);
      const { key } = caller;
      const placed = place(key, body);
      if ('why' in placed) return problemResponse(c, placed.status, placed.why);
      const deadline = readDeadline(body.deadline, clock.now());
      if (deadline === undefined) {
        return problemResponse(c, 422, 'The deadline is in the past or more than 30 days away.');
      }
      const idempotencyKey = headers['idempotency-key'];
      const request: ExternalRequest = {
        ...toRequest(body),
        ...deadline,
        channel: placed.channel,
        requester: { team, user: placed.requester },
        ...(idempotencyKey !== undefined && { idempotencyKey }),
      };
      const made = await outside.request(
        { ...toCaller(key, team), ...clientAddress(c.env.incoming) },
        request,
      );
      switch (made.kind) {
        case 'made':
          c.header('location', `/api/approvals/${made.call.id}`);
          return c.json(toApproval(made.call, SENDER_VIEW), 201);
        case 'known':
          return c.json(toApproval(made.call, SENDER_VIEW), 200);
        case 'conflict':
          return problemResponse(
            c,
            409,
            'A different request was made with this Idempotency-Key. Repeat that request unchanged, or use another key for this one.',
          );
        case 'invalid':
          return problemResponse(c, 422, describeInvalid(made.problems), { errors: made.problems });
        case 'too-many':
          return problemResponse(
            c,
            429,
            `This key already has ${made.pending} pending approvals, the maximum (MAX_PENDING_PER_KEY). Try again when some of them are decided or cancelled.`,
            { retryAfter: RETRY_S },
          );
      }
    },
  );
}

function describeInvalid([first]: readonly FieldProblem[]): string {
  if (!first) return 'The request is invalid.';
  const { message, path } = first;
  const what =
    path[0] === 'args' ? 'The arguments do not match their schema' : 'The request is invalid';
  return `${what}. ${path.join('.')}: ${message}`;
}

function toCaller(key: ApiKey, team: string): ExternalCaller {
  return {
    key: key.id,
    name: key.name,
    ...(key.owner !== undefined && { owner: { team, user: key.owner } }),
  };
}

function toRequest(body: Body): Omit<ExternalRequest, 'channel' | 'requester'> {
  const { action, args, callbackUrl, choices, decisions, description, metadata } = body;
  const { risk, schema, summary } = body;
  return {
    tool: action,
    args,
    ...(schema && { schema }),
    ...(decisions && { decisions }),
    ...(choices && { choices }),
    ...(callbackUrl !== undefined && { callbackUrl }),
    ...(metadata !== undefined && { metadata }),
    ...(body.silent === true && { isSilent: true as const }),
    ...(description !== undefined && { words: description }),
    ...(summary !== undefined && { summary }),
    ...(risk && { risk }),
  };
}

/** Chooses the channel and the requester, or says why the key may not use them. */
function place(
  key: ApiKey,
  { action, channel = key.channels[0], requester = key.owner }: Body,
): { readonly channel: string; readonly requester: string } | Refusal {
  const scopes = key.scopes.join(', ');
  if (!mayRequest(key, action)) {
    return {
      status: 403,
      why: `This key may not request “${action}”. Its scopes are ${scopes}. “npx --no -- countersign keys create --scopes request:…” creates one that may.`,
    };
  }
  if (requester === undefined) {
    return {
      status: 422,
      why: 'No requester is given. Send a requester (the key needs the scope requesters), or create the key with an owner: “npx --no -- countersign keys create --owner U…”.',
    };
  }
  if (requester !== key.owner && !mayNameRequesters(key)) {
    return {
      status: 403,
      why: `This key may not make requests for ${requester}, only for its owner${key.owner === undefined ? ', and it has none' : ''}. A key with the scope requesters may.`,
    };
  }
  if (channel === undefined) {
    return {
      status: 422,
      why: 'No channel is given for the card. Send a channel, or create the key with one: “npx --no -- countersign keys create --channels C…”.',
    };
  }
  if (key.channels.length > 0 && !key.channels.includes(channel)) {
    return {
      status: 403,
      why: `This key may not use the channel ${channel}, only ${key.channels.join(', ')}.`,
    };
  }
  return { channel, requester };
}

function readDeadline(
  deadline: Body['deadline'],
  now: number,
): Pick<ExternalRequest, 'deadlineMs' | 'deadlineAt'> | undefined {
  if (deadline === undefined) return {};
  if (typeof deadline === 'number') return { deadlineMs: deadline * 1_000 };
  const deadlineAt = Date.parse(deadline);
  return deadlineAt > now && deadlineAt <= now + MAX_MS ? { deadlineAt } : undefined;
}
