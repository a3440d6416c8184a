/** How the arguments of a coding agent's tool are read: in exactly the shape that its makers document, for an argument that is not known could change what is done. */
import { z } from 'zod';
import type { JsonValue } from '../../../domain/json/json.ts';

/** What is said of a call: its name in one line, and what people read of it in whole. */
export interface ToolUseDescription {
  readonly summary: string;
  readonly preview?: string | undefined;
}

/** Says what a call does; undefined where its arguments are not of the shape. */
export type ArgumentReader = (args: JsonValue) => ToolUseDescription | undefined;

/** The readers of tools by their names in Claude Code, Codex, Gemini CLI, Cursor, Copilot, OpenCode, Cline and deepagents. */
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

/** Makes the reader of one shape. */
export function createArgumentReader<Shape extends z.ZodRawShape>(
  shape: Shape,
  say: (args: z.output<z.ZodObject<Shape, z.core.$strict>>) => ToolUseDescription | undefined,
): ArgumentReader {
  const schema = z.strictObject(shape);
  return (args) => {
    const read = schema.safeParse(args);
    return read.success ? say(read.data) : undefined;
  };
}
