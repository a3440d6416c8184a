import { createHash } from 'node:crypto';
import type { z } from 'zod';
import type { z as z3 } from 'zod/v3';
import { WOULD_FAIL_PREFIX } from '../../domain/calls/stored-preview.ts';
import { canonicalJson, type JsonValue } from '../../domain/json/json.ts';
import { toPlainJson } from '../../domain/json/to-plain-json.ts';
import { secretPathsOf } from '../../domain/secrets/secret-paths.ts';
import type { Preview, Tool } from '../../domain/tools/tool.ts';
import type { ArgsOf, ToolDefinition as WrittenTool } from '../exports/tools.js';
import { createNullRemover } from './schema/drop-nulls.ts';
import { parseArgs } from './schema/parse-args.ts';
import { readZodSchema } from './schema/read-zod-schema.ts';
import { createOperatorPatterns } from './schema/validator/patterns.ts';

/** A schema of zod 4, or of zod 3. */
export type ArgsSchema = z.ZodType | z3.ZodTypeAny;

/** A tool as its author defines it: the type of `countersign/tools`. */
export type ToolDefinition<Schema extends ArgsSchema = ArgsSchema> = WrittenTool<Schema>;

/** A tool, or the reason why it is left out. */
export type DefinedTool =
  | { readonly kind: 'tool'; readonly tool: Tool }
  | { readonly kind: 'left-out'; readonly name: string; readonly reason: string };

/**
 * Creates a tool from its definition. Leaves it out if its values do not survive a round trip
 * through JSON.
 */
export function defineTool<Schema extends ArgsSchema>(
  definition: ToolDefinition<Schema>,
): DefinedTool {
  const { name, schema } = definition;
  const read = readZodSchema(schema);
  if (!read.ok) return { kind: 'left-out', name, reason: read.reason };
  const dropNulls = createNullRemover(read.json, createOperatorPatterns());
  const tool: Tool = {
    name,
    description: definition.description,
    schema: read.json,
    schemaHash: createHash('sha256').update(canonicalJson(read.json)).digest('hex'),
    risk: definition.risk ?? 'medium',
    idempotent: definition.idempotent ?? false,
    secrets: [...new Set([...(definition.secrets ?? []), ...secretPathsOf(read.json)])],
    parse: (value) => parseArgs(schema, dropNulls(value)),
    run: async (args, context) => toText(await definition.run(ownArgs(schema, args), context)),
    ...(definition.previewed && { previewed: definition.previewed }),
    ...(definition.preview && {
      preview: (args: JsonValue) => previewOf(definition, args),
    }),
    ...(definition.summary && {
      summary: (args: JsonValue) => definition.summary?.(ownArgs(schema, args)),
    }),
  };
  return { kind: 'tool', tool };
}

/**
 * Copies the arguments: a schema may return parts of its input, and a tool must not change what is
 * shown or run.
 */
function ownArgs<Schema extends ArgsSchema>(schema: Schema, args: JsonValue): ArgsOf<Schema> {
  return schema.parse(structuredClone(args)) as ArgsOf<Schema>;
}

/**
 * Never fails on a value that is not JSON: the tool has run, and an error would make the model call
 * it again.
 */
function toText(result: unknown): string {
  if (result === undefined) return '';
  return typeof result === 'string' ? result : JSON.stringify(toPlainJson(result), undefined, 2);
}

/** Shows a failed preview as text: the run would fail in the same way. */
async function previewOf<Schema extends ArgsSchema>(
  definition: ToolDefinition<Schema>,
  args: JsonValue,
): Promise<Preview | undefined> {
  try {
    return toPreview(await definition.preview?.(ownArgs(definition.schema, args)));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { text: `${WOULD_FAIL_PREFIX}${why}` };
  }
}

/** An operator's tool may return anything: show an invalid preview as JSON text. */
function toPreview(result: unknown): Preview | undefined {
  if (result === undefined) return undefined;
  if (typeof result === 'string') return { text: result };
  const { text, basis } = (result ?? {}) as Partial<Record<keyof Preview, unknown>>;
  if (typeof text !== 'string') return { text: toText(result) };
  return { text, ...(typeof basis === 'string' ? { basis } : {}) };
}
