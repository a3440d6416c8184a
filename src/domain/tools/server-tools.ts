/** Tools of MCP servers: their names here, how admins look after them, and what servers ask people. */
import { createHash } from 'node:crypto';
import type { JsonValue } from '../json/json.ts';
import type { Person } from '../people/person.ts';
import type { Pin, ToolClaims } from './tool-pin.ts';

const MAX_NAME = 64;
const MAX_PREFIX = 24;
const BETWEEN = '__';

/** What the names of a server's tools begin with, before `__`; empty for a name without letters and digits. */
export function serverPrefix(server: string): string {
  const plain = server.replace(/[^A-Za-z0-9_-]+/g, '_').replace(/_{2,}/g, '_');
  return plain.replace(/^_+/, '').slice(0, MAX_PREFIX).replace(/_+$/, '');
}

/** Names a server's tool `server__tool`, so that no two tools of servers with different prefixes have one name. */
export function serverToolName(server: string, tool: string): string {
  const prefix = `${serverPrefix(server)}${BETWEEN}`;
  const plain = tool.replace(/[^A-Za-z0-9_-]/g, '_');
  const room = MAX_NAME - prefix.length;
  if (plain === tool && tool.length <= room) return `${prefix}${tool}`;
  const mark = createHash('sha256').update(tool).digest('hex').slice(0, 8);
  return `${prefix}${plain.slice(0, room - mark.length - 1)}_${mark}`;
}

/** A tool of which its server says something else than was accepted: nobody can call it. */
export interface ChangedTool {
  readonly name: string;
  readonly before: Pin;
  /** What the server says now. */
  readonly now: ToolClaims;
  readonly hash: string;
}

/** How it stands with a server. */
export interface ServerState {
  readonly name: string;
  readonly isConnected: boolean;
  /** Names of its tools that can be called. */
  readonly tools: readonly string[];
  readonly leftOut: readonly { readonly name: string; readonly reason: string }[];
  /** Why it can't be reached, where it can't. */
  readonly problem?: string;
}

export type AcceptOutcome =
  | { readonly kind: 'accepted'; readonly name: string }
  /** Nothing of this name has changed, or it has been accepted. */
  | { readonly kind: 'not-changed' }
  /** It is not what the admin has seen. */
  | { readonly kind: 'other'; readonly changed: ChangedTool };

/** The tools of all servers, as admins look after them. */
export interface ServerTools {
  servers(): readonly ServerState[];
  changed(): readonly ChangedTool[];
  /** Takes what the server says of a changed tool now, if it has this hash or one that begins so. */
  accept(command: {
    readonly name: string;
    readonly hash: string;
    readonly by: Person;
  }): Promise<AcceptOutcome>;
}

/** What a server asks people while a tool of its runs. */
export interface ServerQuestion {
  /** Id of the call whose tool runs. */
  readonly callId: string;
  readonly server: string;
  /** The server's own words: untrusted. */
  readonly message: string;
  /** JSON Schema of the answer: of an object. */
  readonly schema: { readonly [key: string]: JsonValue };
  /** What the form holds at first. */
  readonly initial: { readonly [key: string]: JsonValue };
  /** When nobody waits for the answer any more. */
  readonly deadlineAt: number;
}

export type QuestionAnswer =
  | { readonly kind: 'accept'; readonly content: { readonly [key: string]: JsonValue } }
  | { readonly kind: 'decline' }
  /** Nobody answered, or the call is over. */
  | { readonly kind: 'cancel' };

/** Asks the requester of a running call; when the signal aborts, the question is taken back. */
export type AskPeople = (question: ServerQuestion, signal: AbortSignal) => Promise<QuestionAnswer>;
