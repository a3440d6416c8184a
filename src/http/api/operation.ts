/** An API operation: its schemas both validate requests and generate the OpenAPI document. */
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { z } from 'zod';
import type { JsonValue } from '../../domain/json/json.ts';
import type { ApiKey, KeyToken } from '../../domain/people/api-key.ts';
import type { Person } from '../../domain/people/person.ts';
import { describeIssues, formatIssue } from './describe-issue.ts';
import { problemResponse } from './problem.ts';

/** The authenticated caller: a program with its key, or a person with a token. */
export type ApiCaller =
  | { readonly kind: 'key'; readonly key: ApiKey; readonly token: KeyToken }
  | { readonly kind: 'person'; readonly person: Person; readonly expiresAt: number };

/** What is known of a request before an operation handles it. */
export interface ApiEnv {
  readonly Bindings: HttpBindings;
  readonly Variables: {
    readonly caller: ApiCaller;
    /** Undefined if there is none. */
    readonly body: JsonValue | undefined;
  };
}

export type ApiContext = Context<ApiEnv>;

/** A response of an operation; without a schema its body is empty. */
export interface OperationResponse {
  readonly description: string;
  readonly schema?: z.ZodType;
  /** (Default: JSON.) */
  readonly mediaType?: string;
}

interface Description {
  readonly method: 'get' | 'post';
  /** In Hono's syntax; `:id` is the id of an approval. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  /** Whether it needs no authentication. */
  readonly isOpen?: true;
  readonly answers: Readonly<Record<number, OperationResponse>>;
}

/** Schemas of an operation's input. */
export interface OperationInput<
  Query extends z.ZodObject = z.ZodObject,
  Headers extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
> {
  readonly query?: Query;
  readonly headers?: Headers;
  readonly body?: Body;
  /** Whether a body is required. */
  readonly needsBody?: boolean;
}

/** An operation that can be served and documented. */
export interface Operation extends Description {
  readonly takes: OperationInput;
  serve(c: ApiContext): Promise<Response>;
}

/** A validated request. */
export interface OperationRequest<Query, Headers, Body> {
  readonly c: ApiContext;
  readonly caller: ApiCaller;
  /** Empty if the path has no id. */
  readonly id: string;
  readonly query: Query;
  readonly headers: Headers;
  readonly body: Body;
}

const None = z.strictObject({});
const Any = z.object({});
const MAX_ID = 100;

/** Creates an operation; its handler receives the validated input. */
export function createOperation<
  Query extends z.ZodObject = typeof None,
  Headers extends z.ZodObject = typeof Any,
  Body extends z.ZodType = typeof None,
>(
  description: Description,
  takes: OperationInput<Query, Headers, Body>,
  handle: (
    asked: OperationRequest<z.output<Query>, z.output<Headers>, z.output<Body>>,
  ) => Promise<Response> | Response,
): Operation {
  const querySchema = takes.query ?? None;
  const numbers = Object.entries(querySchema.shape).flatMap(([key, schema]) =>
    isNumeric(schema as z.ZodType) ? [key] : [],
  );
  return {
    ...description,
    takes,
    async serve(c) {
      const id = c.req.param('id') ?? '';
      const address = readQuery(c, numbers);
      const query = querySchema.safeParse(address);
      if (!query.success) return rejectRequest(c, 'address', query.error, address);
      const headers = (takes.headers ?? Any).safeParse(c.req.header());
      if (!headers.success) return rejectRequest(c, 'headers', headers.error, c.req.header());
      const sent = c.get('body');
      const body = (takes.body ?? None).safeParse(sent === undefined ? {} : sent);
      if (!body.success) return rejectRequest(c, 'body', body.error, sent ?? {});
      return await handle({
        c,
        // Open operations must not use it: it is not set for them.
        caller: c.get('caller'),
        id: id.slice(0, MAX_ID),
        query: query.data as z.output<Query>,
        headers: headers.data as z.output<Headers>,
        body: body.data as z.output<Body>,
      });
    },
  };
}

function isNumeric(schema: z.ZodType): boolean {
  const { type } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return type === 'integer' || type === 'number';
}

/** A repeated parameter becomes a list, which every schema rejects. */
function readQuery(c: ApiContext, numbers: readonly string[]): object {
  const read = Object.entries(c.req.queries()).map(([name, values]) => {
    const [value = '', ...more] = values;
    if (more.length > 0) return [name, values];
    const isNumber = numbers.includes(name) && /^-?\d{1,15}(?:\.\d{1,9})?$/.test(value);
    return [name, isNumber ? Number(value) : value];
  });
  return Object.fromEntries(read);
}

const PARTS = {
  address: 'The query',
  headers: 'The request',
  body: 'The body',
} as const;
const MAX_SHOWN = 3;

function rejectRequest(
  c: ApiContext,
  where: keyof typeof PARTS,
  error: z.ZodError,
  sent: unknown,
): Response {
  const errors = describeIssues(error, sent);
  const shown = errors.slice(0, MAX_SHOWN).map((issue) => formatIssue(issue, PARTS[where]));
  return problemResponse(c, 400, `${shown.join(' ')} See /api/openapi.json.`, { errors });
}
