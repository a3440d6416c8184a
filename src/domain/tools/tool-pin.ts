/**
 * What an MCP server said about a tool when it was accepted. A tool whose schema or description
 * changed is a different tool.
 */
import { createHash } from 'node:crypto';
import { canonicalJson, type JsonValue } from '../json/json.ts';
import type { Person } from '../people/person.ts';

/** Everything a server says about a tool that people and the agent rely on. */
export interface ToolClaims {
  /** The operator's name for the server. */
  readonly server: string;
  /** The server's own name for the tool. */
  readonly tool: string;
  readonly description: string;
  readonly schema: { readonly [key: string]: JsonValue };
  readonly annotations: { readonly [key: string]: JsonValue };
}

/** The accepted claims. */
export interface Pin {
  /** The tool's name in this app. */
  readonly name: string;
  readonly claims: ToolClaims;
  readonly hash: string;
  /** Absent if accepted automatically at first sight. */
  readonly by?: Person;
  readonly at: number;
}

/** Hashes the claims: hex SHA-256 of their canonical JSON. */
export function hashClaims({ server, tool, description, schema, annotations }: ToolClaims): string {
  const text = canonicalJson({ v: 1, server, tool, description, schema, annotations });
  return createHash('sha256').update(`countersign-pin-1\0${text}`).digest('hex');
}

/** Shortens a hash to the part that people read and type. */
export function shortPin(hash: string): string {
  return hash.slice(0, 12);
}
