import type { Call } from '../calls/call.ts';
import type { JsonValue } from '../json/json.ts';
import type { Person } from '../people/person.ts';
import type { Risk } from '../policy/route.ts';
import type { ThreadKey } from '../threads/thread-key.ts';

/** What is wrong with one argument; an empty path means the arguments as a whole. */
export interface FieldProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/** Arguments as the tool's schema read them, with their canonical JSON, or what is wrong with them. */
export type ParsedArgs =
  | { readonly ok: true; readonly value: JsonValue; readonly canonical: string }
  | { readonly ok: false; readonly problems: readonly FieldProblem[] };

/** What a run would do, from our own facts. */
export interface Preview {
  readonly text: string;
  /** A digest of what it was made from; absent where that does not bind a run. */
  readonly basis?: string;
}

export interface ToolContext {
  readonly signal: AbortSignal;
  /** Id of the call that runs. */
  readonly callId: string;
  /** The basis of the preview that people approved; the tool stops where it finds another. */
  readonly basis?: string;
  /** The same for every run of one attempt. */
  readonly idempotencyKey: string;
  readonly requester: Person;
  readonly thread: ThreadKey;
  /** Tells people on the card how the run is going, in one line; the last one is shown, and goes when the run ends. */
  report(text: string): void;
}

/**
 * Thrown by a tool that can't tell whether it ran, e.g. since the connection was lost behind the
 * request. The message says how that came about, to people, in our own words: a whole sentence.
 */
export class UnknownOutcomeError extends Error {
  override readonly name = 'UnknownEndError';
}

/** A tool as the desk and the cards see it. */
export interface Tool {
  readonly name: string;
  /** The MCP server whose tool it is, by the name that the operator gave it. (Default: it is ours.) */
  readonly server?: string;
  readonly description: string;
  /** JSON Schema of the arguments, input side: of an object, or of a choice of objects. */
  readonly schema: { readonly [key: string]: JsonValue };
  readonly schemaHash: string;
  readonly risk: Risk;
  /** May run again with the same key after a crash. */
  readonly idempotent: boolean;
  /** Dotted paths of secret arguments; of an outside tool only a claim, which hides nothing from the people who decide. */
  readonly secrets: readonly string[];
  /** Arguments that the preview shows whole, as far as it does: a card need not repeat them. */
  readonly previewed?: readonly string[];
  /** Reads arguments by the tool's schema; a value that the schema would read differently a second time is a problem. */
  parse(value: JsonValue): ParsedArgs;
  /** On a tool whose calls are done by a helper: whom they go to. Such a tool is never run. */
  delegate?(args: JsonValue): DelegatedWork;
  /** Runs with parsed arguments; resolves with what the model is told, rejects when it failed, with an `UnknownEndError` when that can't be told. */
  run(args: JsonValue, context: ToolContext): Promise<string>;
  /** Shows what a run would do, from our own facts; nothing is changed by asking. */
  preview?(args: JsonValue): Promise<Preview | undefined>;
  /** Says in one line what a run would do, from the arguments alone and at once. On a third party's tool it is our own words. */
  summary?(args: JsonValue): string | undefined;
}

/** Work that a call hands to a helper in a thread of its own. */
export interface DelegatedWork {
  readonly agent: string;
  /** What the helper is told to do: the model's words. */
  readonly prompt: string;
}

export interface Toolbox {
  get(name: string): Tool | undefined;
  /** The tool of a stored call; of one from outside, what its own schema says of it, which is never run here. */
  of(call: Pick<Call, 'tool' | 'outside'>): Tool | undefined;
  list(): readonly Tool[];
}
