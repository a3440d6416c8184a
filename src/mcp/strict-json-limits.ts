import { type JsonLimits, parseStrictJson, type StrictJson } from '../domain/json/strict-json.ts';

/** More than the API takes of arguments, so that it is the API that says what is too much of those. */
export const AGENT_JSON_LIMITS: JsonLimits = { bytes: 1_048_576, depth: 40, values: 40_000 };

/** Reads what an agent sends as strictly as the API reads: what stands there twice, or would be another number, is never shown to people as something else. */
export function parseAgentJson(text: string): StrictJson {
  return parseStrictJson(text, AGENT_JSON_LIMITS);
}
