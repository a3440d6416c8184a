import type { Call } from '../../domain/calls/call.ts';
import type { Tool } from '../../domain/tools/tool.ts';
import { describeCodingTool } from './coding-agents/describe-coding-tool.ts';
import { type JsonSchema, readJsonSchema } from './schema/read-json-schema.ts';

/** Whoever gives no schema takes any object. */
const ANY_OBJECT: JsonSchema = { type: 'object' };

/** Makes the tool of a call from outside, of what its own schema says; undefined where that can't be read. It is shown and edited, and never run by us. */
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
      throw new Error(`“${name}” is a call from outside: whoever made it runs it.`);
    },
    // A graph's and a server's tools may have these names, and do something else.
    ...(outside?.by === 'key' && describeCodingTool(name)),
  };
}
