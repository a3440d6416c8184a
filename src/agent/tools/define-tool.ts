import { createHash } from 'node:crypto';
import type { z } from 'zod';
import type { z as z3 } from 'zod/v3';
import { canonicalJson, type JsonValue } from '../../domain/json.ts';
import type { Risk } from '../../domain/route.ts';
import { secretPathsOf } from '../../domain/secret-paths.ts';
import { toPlainJson } from '../../domain/to-plain-json.ts';
import type { Preview, Tool, ToolContext } from '../../domain/tool.ts';
import { parseArgs } from './parse-args.ts';
import { readSchema } from './read-schema.ts';
import { createDropNulls } from './schema/drop-nulls.ts';
import { createOwnPatterns } from './schema/patterns.ts';

/** A schema of zod 4, or of zod 3. */
export type ArgsSchema = z.ZodType | z3.ZodTypeAny;

/** What a tool is given: the schema's values. */
type ArgsOf<Schema extends ArgsSchema> = Schema extends z.ZodType
  ? z.output<Schema>
  : Schema extends z3.ZodTypeAny
    ? z3.output<Schema>
    : never;

/** A tool as its author writes it. */
export interface ToolDefinition<Schema extends ArgsSchema = ArgsSchema> {
  readonly name: string;
  /** For the model: what it does, and when to use it. */
  readonly description: string;
  /** A schema of objects, or of a choice of them, whose values are plain JSON: no transforms, dates or bigints. */
  readonly schema: Schema;
  readonly idempotent?: boolean | undefined;
  /** `medium` unless it says otherwise. */
  readonly risk?: Risk | undefined;
  /** Dotted paths of arguments that are never shown, besides those that the schema marks (`format: 'password'`, `writeOnly` or `secret` in its meta). */
  readonly secrets?: readonly string[] | undefined;
  /** Returns what the model is told; throws when it failed, in words for the model. */
  run(args: ArgsOf<Schema>, context: ToolContext): ToolResult | Promise<ToolResult>;
  /** Says what a run would do; with a basis, people are asked anew when it has changed until then. */
  preview?(args: ArgsOf<Schema>): PreviewResult | Promise<PreviewResult>;
}

type ToolResult = string | JsonValue | undefined;
type PreviewResult = string | Preview | undefined;

/** A tool, or why it can't be offered. */
export type DefinedTool =
  | { readonly kind: 'tool'; readonly tool: Tool }
  | { readonly kind: 'left-out'; readonly name: string; readonly reason: string };

/** Makes a tool of its definition; one whose schema JSON can't carry both ways is left out, with the reason. */
export function defineTool<Schema extends ArgsSchema>(
  definition: ToolDefinition<Schema>,
): DefinedTool {
  const { name, schema } = definition;
  const read = readSchema(schema);
  if (!read.ok) return { kind: 'left-out', name, reason: read.reason };
  const dropNulls = createDropNulls(read.json, createOwnPatterns());
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
    ...(definition.preview && {
      preview: (args: JsonValue) => previewOf(definition, args),
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
    return { text: `As things stand, this would fail: ${why}` };
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
