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

/** A tool as its author writes it, which is what `countersign/tools` says. */
export type ToolDefinition<Schema extends ArgsSchema = ArgsSchema> = WrittenTool<Schema>;

/** A tool, or why it can't be offered. */
export type DefinedTool =
  | { readonly kind: 'tool'; readonly tool: Tool }
  | { readonly kind: 'left-out'; readonly name: string; readonly reason: string };

/** Makes a tool of its definition; one whose schema JSON can't carry both ways is left out, with the reason. */
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

/** A copy that is the tool's alone: a schema hands on what it knows nothing of, and what a tool changes there must not be what is judged, shown or run. */
function ownArgs<Schema extends ArgsSchema>(schema: Schema, args: JsonValue): ArgsOf<Schema> {
  return schema.parse(structuredClone(args)) as ArgsOf<Schema>;
}

/** Whatever it returns, it has run: what JSON has no word for is no failure, after which it would be called again. */
function toText(result: unknown): string {
  if (result === undefined) return '';
  return typeof result === 'string' ? result : JSON.stringify(toPlainJson(result), undefined, 2);
}

/** A preview that fails is shown as a fact: the run would fail in the same way. */
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

/** An own tool may return anything: what is no preview is shown as what it is. */
function toPreview(result: unknown): Preview | undefined {
  if (result === undefined) return undefined;
  if (typeof result === 'string') return { text: result };
  const { text, basis } = (result ?? {}) as Partial<Record<keyof Preview, unknown>>;
  if (typeof text !== 'string') return { text: toText(result) };
  return { text, ...(typeof basis === 'string' ? { basis } : {}) };
}
