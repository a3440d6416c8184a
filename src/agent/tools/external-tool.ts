import type { Call } from '../../domain/calls/call.ts';
import type { Tool } from '../../domain/tools/tool.ts';
import { describeCodingTool } from './coding-agents/describe-coding-tool.ts';
import { type JsonSchema, readJsonSchema } from './schema/read-json-schema.ts';

/** For calls without a schema. */
const ANY_OBJECT: JsonSchema = { type: 'object' };

/**
 * Creates the tool of an external call from the call's schema; undefined if that is unsupported. We
 * show and edit such calls but never run them.
 */
export function toExternalTool({
  outside,
  tool: name,
}: Pick<Call, 'tool' | 'outside'>): Tool | undefined {
  const schema = outside?.schema ?? ANY_OBJECT;
  const reading = readJsonSchema(schema);
  if (!reading.ok) return undefined;
  return {
    name,
    description: '',
    schema,
    schemaHash: reading.hash,
    risk: 'medium',
    idempotent: false,
    secrets: reading.secrets,
    parse: reading.parse,
    run: async () => {
      throw new Error(`“${name}” is an external call: its caller runs it.`);
    },
    // Tools of graphs and servers may have the same names but do something else.
    ...(outside?.by === 'key' && describeCodingTool(name)),
  };
}
