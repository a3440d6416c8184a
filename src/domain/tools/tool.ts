import type { JsonValue } from '../json/json.ts';
import type { Person } from '../people/person.ts';
import type { Risk } from '../policy/route.ts';
import type { ThreadKey } from '../threads/thread-key.ts';

/** A problem with one argument. An empty path means the arguments as a whole. */
export interface FieldProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Arguments parsed by the tool's schema, with their canonical JSON; or their problems. */
export type ParsedArgs =
  | { readonly ok: true; readonly value: JsonValue; readonly canonical: string }
  | { readonly ok: false; readonly problems: readonly FieldProblem[] };

/** What a run would do, in our own words. */
export interface Preview {
  readonly text: string;
  /** Digest of the preview's source; absent if the run is not bound to it. */
  readonly basis?: string;
}

export interface ToolContext {
  readonly signal: AbortSignal;
  /** Id of the running call. */
  readonly callId: string;
  /** Basis of the preview that people approved. The tool stops if it has changed. */
  readonly basis?: string;
  /** The same for every run of an attempt. */
  readonly idempotencyKey: string;
  readonly requester: Person;
  readonly thread: ThreadKey;
  /** Shows one line of progress on the card until the next one or the end of the run. */
  report(text: string): void;
}

/**
 * Thrown by a tool that can't tell whether it ran, e.g. after losing the connection. The message
 * tells people why: one whole sentence in our own words.
 */
export class UnknownOutcomeError extends Error {
  override readonly name = 'UnknownEndError';
}

/** A tool as the desk and the cards see it. */
export interface Tool {
  readonly name: string;
  /** The operator's name for the tool's MCP server. (Default: the tool is ours.) */
  readonly server?: string;
  readonly description: string;
  /** JSON Schema of the input: an object or a choice of objects. */
  readonly schema: { readonly [key: string]: JsonValue };
  readonly schemaHash: string;
  readonly risk: Risk;
  /** Whether it may rerun with the same key after a crash. */
  readonly idempotent: boolean;
  /**
   * Dotted paths of secret arguments. For a third-party tool only a claim: people who decide can
   * still see them.
   */
  readonly secrets: readonly string[];
  /** Arguments that the preview shows in full, so a card need not repeat them. */
  readonly previewed?: readonly string[];
  /**
   * Parses arguments by the schema. Rejects values that the schema would parse differently a second
   * time.
   */
  parse(value: JsonValue): ParsedArgs;
  /** For a tool that delegates: returns the helper and its task. Such a tool is never run. */
  delegate?(args: JsonValue): DelegatedWork;
  /**
   * Runs with parsed arguments and resolves with the text for the model. Rejects if it failed, with
   * `UnknownOutcomeError` if the outcome can't be known.
   */
  run(args: JsonValue, context: ToolContext): Promise<string>;
  /** Describes what a run would do. Changes nothing. */
  preview?(args: JsonValue): Promise<Preview | undefined>;
  /**
   * Describes a run in one line, synchronously and from the arguments alone. Always our own words,
   * also for third-party tools.
   */
  summary?(args: JsonValue): string | undefined;
}

/** A task that a call delegates to a helper in its own thread. */
export interface DelegatedWork {
  readonly agent: string;
  /** The helper's instructions, written by the model. */
  readonly prompt: string;
}

/** The caller of an external call, as far as its tool depends on it. */
export interface ToolCaller {
  /**
   * A program with a key (HTTP, MCP), a graph that runs its own tools, or an MCP server that asks a
   * question.
   */
  readonly by: 'key' | 'graph' | 'server';
  /** Display name of the key, graph or server. */
  readonly name: string;
  /** JSON Schema of the arguments. (Default: any object.) */
  readonly schema?: { readonly [key: string]: JsonValue };
}

export interface Toolbox {
  get(name: string): Tool | undefined;
  /**
   * Returns the tool of a stored call. For an external call it describes the caller's schema and is
   * never run.
   */
  of(call: { readonly tool: string; readonly outside?: ToolCaller }): Tool | undefined;
  list(): readonly Tool[];
}
