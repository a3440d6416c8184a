/** What an MCP server says of a tool, as it was accepted: a tool of which it says anything else is another one. */
import { createHash } from 'node:crypto';
import { canonicalJson, type JsonValue } from '../json/json.ts';
import type { Person } from '../people/person.ts';

/** All that a server says of a tool which decides what people and the agent believe of it. */
export interface ToolClaims {
  /** The name that the operator gave the server. */
  readonly server: string;
  /** As the server calls it. */
  readonly tool: string;
  readonly description: string;
  readonly schema: { readonly [key: string]: JsonValue };
  readonly annotations: { readonly [key: string]: JsonValue };
}

/** The claims that were accepted. */
export interface Pin {
  /** The tool's name here. */
  readonly name: string;
  readonly claims: ToolClaims;
  readonly hash: string;
  /** Absent where it is what the server said at first. */
  readonly by?: Person;
  readonly at: number;
}

/** Hashes the claims: hexadecimal SHA-256 over their canonical JSON. */
export function hashClaims({ server, tool, description, schema, annotations }: ToolClaims): string {
  const text = canonicalJson({ v: 1, server, tool, description, schema, annotations });
  return createHash('sha256').update(`countersign-pin-1\0${text}`).digest('hex');
}

/** The part of a hash that people read and type. */
export function shortPin(hash: string): string {
  return hash.slice(0, 12);
}
