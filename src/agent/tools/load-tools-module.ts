import { existsSync } from 'node:fs';
import { closestMatch } from 'leven';
import { z } from 'zod';
import type { Clock } from '../../domain/ports/clock.ts';
import type { Helper } from '../../domain/tools/helper.ts';
import { importModule } from '../import-module.ts';
import type { ArgsSchema, ToolDefinition } from './define-tool.ts';

/** The operator's tools module can't be used. The message says which entry is wrong and why. */
export class ToolsModuleError extends Error {
  override readonly name = 'ToolsModuleError';
}

const isFunction = (value: unknown) => typeof value === 'function';

const entrySchema = z.object({
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, "_" or "-"'),
  description: z.string().min(1, 'must describe what the tool does'),
  schema: z.custom<ArgsSchema>(
    (value) => value instanceof Object && 'safeParse' in value && isFunction(value.safeParse),
    'must be a zod schema',
  ),
  run: z.custom<ToolDefinition['run']>(isFunction, 'must be a function'),
  preview: z
    .custom<NonNullable<ToolDefinition['preview']>>(isFunction, 'must be a function')
    .optional(),
  summary: z
    .custom<NonNullable<ToolDefinition['summary']>>(isFunction, 'must be a function')
    .optional(),
  idempotent: z.boolean().optional(),
  risk: z.enum(['low', 'medium', 'high']).optional(),
  secrets: z.array(z.string().min(1)).optional(),
});

const agentSchema = z.strictObject({
  name: z
    .string()
    .regex(
      /^[a-z][a-z0-9-]{0,31}$/,
      'must be 1 to 32 lower-case letters, digits or "-", and begin with a letter',
    ),
  description: z.string().min(1, 'must describe what the agent is good for'),
  prompt: z.string().min(1, 'must describe how the agent works'),
  tools: z.union([z.literal('all'), z.array(z.string().min(1))], {
    error: 'must be a list of tool names, or "all"',
  }),
});

/** The content of the operator's module. */
export interface ToolsModule {
  readonly tools: readonly ToolDefinition[];
  readonly agents: readonly Helper[];
}

/**
 * Imports the module at TOOLS_MODULE and returns its `tools` and `agents`. Rejects with
 * `ToolsModuleError` if any is invalid.
 */
export async function loadToolsModule(path: string, clock: Clock): Promise<ToolsModule> {
  if (!existsSync(path)) {
    throw new ToolsModuleError(
      `TOOLS_MODULE: ${path} can’t be loaded: there is no such file. Set the path of the module that exports your tools, relative to the folder where the app starts.`,
    );
  }
  const own = await importModule(path, clock).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    throw new ToolsModuleError(`TOOLS_MODULE: ${path} can’t be loaded: ${why}`, { cause: error });
  });
  // A module that exports only agents needs no tools.
  const { agents = [], tools = own.agents && [] } = own;
  for (const [name, value] of Object.entries(own)) {
    const suggestion = ['tools', 'agents'].find((each) => each !== name && isNear(name, each));
    if (suggestion === undefined || !Array.isArray(value)) continue;
    throw new ToolsModuleError(
      `TOOLS_MODULE: ${path} exports a list named “${name}”. Did you mean “${suggestion}”?`,
    );
  }
  if (!Array.isArray(tools)) {
    throw new ToolsModuleError(
      `TOOLS_MODULE: ${path} must export a list named "tools": export const tools = [{ name, description, schema, run }];`,
    );
  }
  if (!Array.isArray(agents)) {
    throw new ToolsModuleError(
      `TOOLS_MODULE: ${path} must export "agents" as a list: export const agents = [{ name, description, prompt, tools }];`,
    );
  }
  return {
    tools: withOwnNames(
      path,
      'tools',
      tools.map((entry, at) => readTool(path, entry, at)),
    ),
    agents: withOwnNames(
      path,
      'agents',
      agents.map((entry, at) => readEntry(agentSchema, `${path}, agents[${at}]`, entry)),
    ),
  };
}

function isNear(name: string, expected: string): boolean {
  return closestMatch(name.toLowerCase(), [expected], { maxDistance: 1 }) !== undefined;
}

function withOwnNames<Named extends { readonly name: string }>(
  path: string,
  what: 'tools' | 'agents',
  entries: readonly Named[],
): readonly Named[] {
  const seen = new Set<string>();
  for (const { name } of entries) {
    if (seen.has(name)) {
      throw new ToolsModuleError(`TOOLS_MODULE: ${path} has two ${what} named “${name}”.`);
    }
    seen.add(name);
  }
  return entries;
}

function readTool(path: string, entry: unknown, index: number): ToolDefinition {
  const where = `${path}, tools[${index}]`;
  const { run, preview, summary, ...rest } = readEntry(entrySchema, where, entry);
  for (const key of Object.keys(entry as object)) {
    const problem = keyProblem(key);
    if (problem === undefined) continue;
    throw new ToolsModuleError(`TOOLS_MODULE: ${where} (${rest.name}): “${key}” ${problem}`);
  }
  // Bind the functions: they may use `this`.
  return {
    ...rest,
    run: run.bind(entry),
    ...(preview && { preview: preview.bind(entry) }),
    ...(summary && { summary: summary.bind(entry) }),
  };
}

const KEYS = Object.keys(entrySchema.shape);

/**
 * A tool may have keys of its own. Only keys that look like a misspelled or unsupported setting are
 * refused.
 */
function keyProblem(key: string): string | undefined {
  if (KEYS.includes(key)) return undefined;
  if (/approv|confirm|^gate$/i.test(key)) {
    return 'has no effect: the policy decides who approves a tool. Remove it.';
  }
  const suggestion = closestMatch(key.toLowerCase(), KEYS, { maxDistance: key.length > 4 ? 2 : 1 });
  return suggestion === undefined
    ? undefined
    : `is not a key of a tool. Did you mean “${suggestion}”?`;
}

function readEntry<Entry>(schema: z.ZodType<Entry>, where: string, entry: unknown): Entry {
  const read = schema.safeParse(entry);
  if (read.success) return read.data;
  const name = entry instanceof Object && 'name' in entry ? ` (${String(entry.name)})` : '';
  const problems = read.error.issues.map(
    (issue) => `${issue.path.join('.') || 'it'}: ${issue.message}`,
  );
  throw new ToolsModuleError(`TOOLS_MODULE: ${where}${name}: ${problems.join('; ')}`);
}
