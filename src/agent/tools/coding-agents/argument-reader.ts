/**
 * Reads the arguments of coding agents' tools. Only the documented shape is accepted: an unknown
 * argument could change the effect.
 */
import { z } from 'zod';
import type { JsonValue } from '../../../domain/json/json.ts';

/** The description of a call: a heading in one line, and its full content. */
export interface ToolUseDescription {
  readonly summary: string;
  readonly preview?: string | undefined;
}

/** Describes a call; returns undefined if its arguments have another shape. */
export type ArgumentReader = (args: JsonValue) => ToolUseDescription | undefined;

/**
 * Readers by tool name in Claude Code, Codex, Gemini CLI, Cursor, Copilot, OpenCode, Cline and
 * deepagents.
 */
export type ArgumentReaders = readonly (readonly [
  names: readonly string[],
  reader: ArgumentReader,
])[];

export const text = z.string();
export const some = z.string().regex(/\S/);
export const path = some.max(4_096);
export const flag = z.boolean().optional();
export const number = z.number().optional();
export const words = z.string().optional();

/** Creates the reader for one argument shape. */
export function createArgumentReader<Shape extends z.ZodRawShape>(
  shape: Shape,
  describe: (args: z.output<z.ZodObject<Shape, z.core.$strict>>) => ToolUseDescription | undefined,
): ArgumentReader {
  const schema = z.strictObject(shape);
  return (args) => {
    const read = schema.safeParse(args);
    return read.success ? describe(read.data) : undefined;
  };
}
