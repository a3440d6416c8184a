import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import type { Cancel, Clock } from '../../domain/clock.ts';
import type { ArgsSchema, ToolDefinition } from './define-tool.ts';

/** The module of one's own tools can't be used; the message says which entry is wrong, and how. */
export class ToolsModuleError extends Error {
  override readonly name = 'ToolsModuleError';
}

const isFunction = (value: unknown) => typeof value === 'function';

const entrySchema = z.object({
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, "_" or "-"'),
  description: z.string().min(1, 'must say what the tool does'),
  schema: z.custom<ArgsSchema>(
    (value) => value instanceof Object && 'safeParse' in value && isFunction(value.safeParse),
    'must be a zod schema',
  ),
  run: z.custom<ToolDefinition['run']>(isFunction, 'must be a function'),
  preview: z
    .custom<NonNullable<ToolDefinition['preview']>>(isFunction, 'must be a function')
    .optional(),
  idempotent: z.boolean().optional(),
  risk: z.enum(['low', 'medium', 'high']).optional(),
  secrets: z.array(z.string().min(1)).optional(),
});

const LOAD_TIMEOUT_MS = 30_000;

/** Imports the module at TOOLS_MODULE and returns its `tools`; throws `ToolsModuleError` when any of them is not well-formed. */
export async function loadToolsModule(
  path: string,
  clock: Clock,
): Promise<readonly ToolDefinition[]> {
  const module = await importModule(path, clock);
  // A module's namespace has no prototype: it is not an instance of Object.
  const isModule = typeof module === 'object' && module !== null;
  const tools = isModule && 'tools' in module ? module.tools : undefined;
  if (!Array.isArray(tools)) {
    throw new ToolsModuleError(
      `TOOLS_MODULE: ${path} must export a list named "tools": export const tools = [{ name, description, schema, run }];`,
    );
  }
  const seen = new Set<string>();
  return tools.map((entry: unknown, index) => {
    const definition = readEntry(path, entry, index);
    if (seen.has(definition.name)) {
      throw new ToolsModuleError(`TOOLS_MODULE: ${path} has two tools named “${definition.name}”.`);
    }
    seen.add(definition.name);
    return definition;
  });
}

async function importModule(path: string, clock: Clock): Promise<unknown> {
  let cancel: Cancel = () => {};
  const tooLate = new Promise<never>((_resolve, reject) => {
    cancel = clock.schedule(clock.now() + LOAD_TIMEOUT_MS, () =>
      reject(new Error('it was not loaded within 30 s; does it wait for something at its top?')),
    );
  });
  try {
    return await Promise.race([import(pathToFileURL(resolve(path)).href), tooLate]);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ToolsModuleError(`TOOLS_MODULE: ${path} can’t be loaded: ${why}`, { cause: error });
  } finally {
    cancel();
  }
}

function readEntry(path: string, entry: unknown, index: number): ToolDefinition {
  const read = entrySchema.safeParse(entry);
  if (read.success) {
    const { run, preview, ...rest } = read.data;
    // A tool may be an object whose functions use `this`.
    return {
      ...rest,
      run: run.bind(entry),
      ...(preview && { preview: preview.bind(entry) }),
    };
  }
  const name = entry instanceof Object && 'name' in entry ? ` (${String(entry.name)})` : '';
  const problems = read.error.issues.map(
    (issue) => `${issue.path.join('.') || 'it'}: ${issue.message}`,
  );
  throw new ToolsModuleError(
    `TOOLS_MODULE: ${path}, tools[${index}]${name}: ${problems.join('; ')}`,
  );
}
