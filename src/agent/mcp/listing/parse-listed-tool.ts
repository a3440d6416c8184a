import { z } from 'zod';
import { canonicalJson, isJsonObject, type JsonObject } from '../../../domain/json/json.ts';
import { parseStrictJson, SCHEMA_LIMITS } from '../../../domain/json/strict-json.ts';
import type { Tool } from '../../../domain/tools/tool.ts';
import { hashClaims, type ToolClaims } from '../../../domain/tools/tool-pin.ts';
import { readJsonSchema } from '../../tools/schema/read-json-schema.ts';

/** A tool as its server lists it, or the reason why it is left out. */
export type ListedTool =
  | {
      readonly kind: 'tool';
      readonly claims: ToolClaims;
      readonly hash: string;
      /** Dotted paths of arguments that are never shown. */
      readonly secrets: readonly string[];
      readonly parse: Tool['parse'];
    }
  | { readonly kind: 'left-out'; readonly name: string; readonly reason: string };

const Listed = z.looseObject({
  name: z.string('has no name').min(1, 'has no name').max(200, 'has a name that is too long'),
  title: z.string().optional(),
  description: z.string('has a description that is not a string').default(''),
  inputSchema: z.looseObject({}, 'has no argument schema'),
  annotations: z.looseObject({}, 'has annotations that are not an object').default({}),
  execution: z.looseObject({ taskSupport: z.unknown() }).optional().catch(undefined),
});

const MAX_ANNOTATIONS = 4_000;
/** Maximum length of a stored description; the hash covers all of it. */
const MAX_DESCRIPTION = 4_000;
const NAMED = 60;

/** Parses one tool of a server's list. Never throws, so that the other tools stay available. */
export function parseListedTool(server: string, listed: unknown): ListedTool {
  const read = Listed.safeParse(listed);
  if (!read.success) {
    const reason = `it ${read.error.issues[0]?.message ?? 'is not a tool'}`;
    return { kind: 'left-out', name: nameOf(listed), reason };
  }
  const { annotations, description, execution, inputSchema, name, title } = read.data;
  const leaveOut = (reason: string): ListedTool => ({ kind: 'left-out', name: cut(name), reason });
  if (execution?.taskSupport === 'required') return leaveOut('it only runs as a task');
  if (inputSchema.type !== 'object') return leaveOut('the root of its schema is not an object');
  const notes = toJson({ ...annotations, ...(title !== undefined && { title }) });
  const schema = toJson(inputSchema);
  if (!schema) return leaveOut('its schema is not plain JSON, or nested too deeply');
  if (!notes || canonicalJson(notes).length > MAX_ANNOTATIONS) {
    return leaveOut('its annotations are too long or not plain JSON');
  }
  const reading = readJsonSchema(schema);
  if (!reading.ok) return leaveOut(`its schema can't be used: ${reading.reason}`);
  const whole = {
    server,
    tool: name,
    description: toText(description),
    schema,
    annotations: notes,
  };
  const claims = { ...whole, description: whole.description.slice(0, MAX_DESCRIPTION) };
  const { parseOfModel: parse, secrets } = reading;
  return { kind: 'tool', claims, hash: hashClaims(whole), secrets, parse };
}

function nameOf(listed: unknown): string {
  const name = listed instanceof Object && 'name' in listed ? listed.name : undefined;
  return typeof name === 'string' && name !== '' ? cut(name) : 'a tool without a name';
}

function cut(name: string): string {
  return name.length > NAMED ? `${name.slice(0, NAMED)}…` : name;
}

/** Replaces unpaired surrogates, which can't be hashed. */
function toText(text: string): string {
  return text.replaceAll(/\p{Surrogate}/gu, '\ufffd');
}

/** Returns undefined if the value exceeds the limits for JSON. */
function toJson(value: object): JsonObject | undefined {
  const read = parseStrictJson(JSON.stringify(value), SCHEMA_LIMITS);
  return read.ok && isJsonObject(read.value) ? read.value : undefined;
}
