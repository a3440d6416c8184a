/** Tools of MCP servers: their names, how admins manage them, and questions that servers ask. */
import { createHash } from 'node:crypto';
import type { JsonValue } from '../json/json.ts';
import type { Person } from '../people/person.ts';
import type { Pin, ToolClaims } from './tool-pin.ts';

const MAX_NAME = 64;
const MAX_PREFIX = 24;
const SEPARATOR = '__';

/**
 * Returns the prefix of a server's tool names, before `__`; empty if the name has no letters or
 * digits.
 */
export function serverPrefix(server: string): string {
  const plain = server.replace(/[^A-Za-z0-9_-]+/g, '_').replace(/_{2,}/g, '_');
  return plain.replace(/^_+/, '').slice(0, MAX_PREFIX).replace(/_+$/, '');
}

/**
 * Names a server's tool `server__tool`. Names are unique across servers with different prefixes.
 */
export function serverToolName(server: string, tool: string): string {
  const prefix = `${serverPrefix(server)}${SEPARATOR}`;
  const plain = tool.replace(/[^A-Za-z0-9_-]/g, '_');
  const room = MAX_NAME - prefix.length;
  if (plain === tool && tool.length <= room) return `${prefix}${tool}`;
  const mark = createHash('sha256').update(tool).digest('hex').slice(0, 8);
  return `${prefix}${plain.slice(0, room - mark.length - 1)}_${mark}`;
}

/** A tool that its server describes differently from what was accepted. It can't be called. */
export interface ChangedTool {
  readonly name: string;
  readonly before: Pin;
  /** The server's current description. */
  readonly now: ToolClaims;
  readonly hash: string;
}

/** The state of a server. */
export interface ServerState {
  readonly name: string;
  readonly isConnected: boolean;
  /** Names of its callable tools. */
  readonly tools: readonly string[];
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
  /** Why it is unreachable; absent if it is connected. */
  readonly problem?: string;
}

export type AcceptOutcome =
  | { readonly kind: 'accepted'; readonly name: string }
  /** No tool of this name has changed, or it was accepted already. */
  | { readonly kind: 'not-changed' }
  /** The tool has changed again since the admin saw it. */
  | { readonly kind: 'other'; readonly changed: ChangedTool };

/** The tools of all servers, as admins manage them. */
export interface ServerTools {
  servers(): readonly ServerState[];
  changed(): readonly ChangedTool[];
  /** Accepts the current description of a changed tool if `hash` is its hash or a prefix of it. */
  accept(command: {
    readonly name: string;
    readonly hash: string;
    readonly by: Person;
  }): Promise<AcceptOutcome>;
}

/** A question that a server asks people during a tool run. */
export interface ServerQuestion {
  /** Id of the call whose tool is running. */
  readonly callId: string;
  readonly server: string;
  /** The server's own text. Untrusted. */
  readonly message: string;
  /** JSON Schema of the answer, which is an object. */
  readonly schema: { readonly [key: string]: JsonValue };
  /** Initial values of the form. */
  readonly initial: { readonly [key: string]: JsonValue };
  /** When the server stops waiting. */
  readonly deadlineAt: number;
}

export type QuestionAnswer =
  | { readonly kind: 'accept'; readonly content: { readonly [key: string]: JsonValue } }
  | { readonly kind: 'decline' }
  /** Nobody answered, or the call has ended. */
  | { readonly kind: 'cancel' };

/** Asks the requester of a running call. Aborting the signal withdraws the question. */
export type AskPeople = (question: ServerQuestion, signal: AbortSignal) => Promise<QuestionAnswer>;
