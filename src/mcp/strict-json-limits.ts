import { type JsonLimits, parseStrictJson, type StrictJson } from '../domain/json/strict-json.ts';

/** Larger than the API's limits, so that the API itself explains what exceeds them. */
export const AGENT_JSON_LIMITS: JsonLimits = { bytes: 1_048_576, depth: 40, values: 40_000 };

/** Parses strictly: duplicate keys and numbers that would lose precision are refused, since people would see something else than was sent. */
export function parseAgentJson(text: string): StrictJson {
  return parseStrictJson(text, AGENT_JSON_LIMITS);
}
