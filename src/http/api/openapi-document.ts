/** The OpenAPI 3.1 document of the API, generated from the schemas that validate its requests: https://spec.openapis.org/oas/v3.1.0 */
import { z } from 'zod';
import type { Operation, OperationResponse } from './operation.ts';

type Json = { [key: string]: unknown };

const ID = {
  name: 'id',
  in: 'path',
  required: true,
  description: 'Id of the approval.',
  schema: { type: 'string', minLength: 1, maxLength: 100 },
};

/** Creates the OpenAPI document of these operations. */
export function writeOpenApi(operations: readonly Operation[]): object {
  const schemas: Json = {};
  const paths: { [path: string]: Json } = {};
  for (const each of operations) {
    const path = each.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [each.method]: describe(each, schemas) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Countersign',
      version: '1',
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
      description:
        'Programs request approvals, and people decide them in Slack. An API key (csk_…) can request but never decide; a person’s token decides in their name.',
    },
    servers: [{ url: '/', description: 'This server.' }],
    paths,
    components: {
      schemas,
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
  };
}

function describe(each: Operation, schemas: Json): Json {
  const { answers, isOpen, operationId, summary, takes } = each;
  const parameters = [
    ...(each.path.includes(':id') ? [ID] : []),
    ...parametersOf('query', takes.query, schemas),
    ...parametersOf('header', takes.headers, schemas),
  ];
  return {
    operationId,
    summary,
    security: isOpen ? [] : [{ bearer: [] }],
    ...(parameters.length > 0 && { parameters }),
    ...(takes.body && {
      requestBody: {
        required: takes.needsBody === true,
        content: { 'application/json': { schema: toSchema(takes.body, 'input', schemas) } },
      },
    }),
    responses: Object.fromEntries(
      Object.entries(answers).map(([status, answer]) => [status, describeAnswer(answer, schemas)]),
    ),
  };
}

function describeAnswer(
  { description, mediaType, schema }: OperationResponse,
  schemas: Json,
): Json {
  const media = mediaType ?? 'application/json';
  return {
    description,
    ...(schema && { content: { [media]: { schema: toSchema(schema, 'output', schemas) } } }),
  };
}

function parametersOf(where: string, taken: z.ZodObject | undefined, schemas: Json) {
  if (!taken) return [];
  return Object.entries(taken.shape).map(([name, schema]) => {
    const { description, ...rest } = toSchema(schema as z.ZodType, 'input', schemas);
    return {
      name,
      in: where,
      required: false,
      ...(description ? { description } : {}),
      schema: rest,
    };
  });
}

/** Drops JavaScript's safe-integer bounds: they are not part of the API, and some code generators can't express them. */
function toInt64(_key: string, value: unknown): unknown {
  if (!(value instanceof Object) || !('type' in value) || value.type !== 'integer') return value;
  const bounds = Object.entries(value).filter(
    ([, each]) => Math.abs(Number(each)) !== Number.MAX_SAFE_INTEGER,
  );
  return { ...Object.fromEntries(bounds), format: 'int64' };
}

/** Moves schemas with an id to `components`, and refers to them. */
function toSchema(schema: z.ZodType, io: 'input' | 'output', schemas: Json): Json {
  const made = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json;
  const {
    $defs = {},
    $schema: _dialect,
    id,
    ...rest
  } = JSON.parse(
    JSON.stringify(made, toInt64).replaceAll('"#/$defs/', '"#/components/schemas/'),
  ) as Json;
  for (const [name, inner] of Object.entries($defs as Json)) {
    const { id: _name, ...of } = inner as Json;
    schemas[name] = of;
  }
  if (typeof id !== 'string') return rest;
  schemas[id] = rest;
  return { $ref: `#/components/schemas/${id}` };
}
