/**
 * Types for a module of custom tools. They import nothing, so they work with any version of zod.
 */

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** A schema of zod 4, or of zod 3. */
export type ArgsSchema =
  | { readonly _zod: { readonly output: unknown }; safeParse(value: unknown): unknown }
  | { readonly _output: unknown; safeParse(value: unknown): unknown };

/** A tool's arguments: the schema's output. */
export type ArgsOf<Schema extends ArgsSchema> = Schema extends {
  readonly _zod: { readonly output: infer Output };
}
  ? Output
  : Schema extends { readonly _output: infer Output }
    ? Output
    : never;

/** Context of a run. */
export interface ToolContext {
  /** Aborts if the run must end: a person stopped it, or it timed out. */
  readonly signal: AbortSignal;
  /** Id of the call. */
  readonly callId: string;
  /** The basis of the approved preview. The tool must stop if it differs now. */
  readonly basis?: string;
  /** The same for all runs of one approval. */
  readonly idempotencyKey: string;
  /** Slack ids of the person who asked. */
  readonly requester: { readonly team: string; readonly user: string };
  /** Identifies the Slack thread: the same for all calls of one thread. */
  readonly thread: string & { readonly __thread: true };
  /**
   * Shows one line of progress on the card. Each line replaces the last; it disappears when the run
   * ends.
   */
  report(text: string): void;
}

/** Describes what a run would do. If the basis has changed at the run, people are asked again. */
export interface Preview {
  readonly text: string;
  readonly basis?: string | undefined;
}

/** The definition of a custom tool. */
export interface ToolDefinition<Schema extends ArgsSchema = ArgsSchema> {
  /** 1 to 64 letters, digits, `_` or `-`. */
  readonly name: string;
  /** Tells the model what the tool does and when to use it. */
  readonly description: string;
  /**
   * A schema of an object, or of several alternatives, with plain JSON values: no transforms, dates
   * or bigints.
   */
  readonly schema: Schema;
  /**
   * Whether it may run again with the same `idempotencyKey` after a crash. (Default: people are
   * asked what happened.)
   */
  readonly idempotent?: boolean | undefined;
  /** (Default: `medium`.) */
  readonly risk?: 'low' | 'medium' | 'high' | undefined;
  /**
   * Dotted paths of arguments that are never shown, in addition to those marked in the schema
   * (`format: 'password'`, `writeOnly` or `secret` in its meta).
   */
  readonly secrets?: readonly string[] | undefined;
  /**
   * Returns the result for the model. On failure throws an error whose message is for the model.
   */
  run(args: ArgsOf<Schema>, context: ToolContext): unknown;
  /** Describes what a run would do, from current facts and without side effects. */
  preview?(
    args: ArgsOf<Schema>,
  ): string | Preview | undefined | Promise<string | Preview | undefined>;
  /**
   * Returns the heading of the card: what a run would do, in one line of at most 150 characters and
   * within 20 ms, e.g. “Refund €80.00 to Jane Doe”. (Default: the preview's first sentence, else
   * the tool's name and first argument.)
   */
  summary?(args: ArgsOf<Schema>): string | undefined;
  /** Arguments that the preview shows in full. The card omits those found there verbatim. */
  readonly previewed?: readonly string[] | undefined;
}

/**
 * Returns the tool unchanged and types the arguments of `run`, `preview` and `summary` by the
 * schema.
 */
export function defineTool<Schema extends ArgsSchema>(
  tool: ToolDefinition<Schema>,
): ToolDefinition<Schema>;
