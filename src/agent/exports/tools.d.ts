/** The types for a module of custom tools. They import nothing, so any version of zod works. */

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

/** What a tool is given: the schema's values. */
export type ArgsOf<Schema extends ArgsSchema> = Schema extends {
  readonly _zod: { readonly output: infer Output };
}
  ? Output
  : Schema extends { readonly _output: infer Output }
    ? Output
    : never;

/** What a run is given beside its arguments. */
export interface ToolContext {
  /** Aborts when the run must end: a person stopped it, or its time is over. */
  readonly signal: AbortSignal;
  /** Id of the call that runs. */
  readonly callId: string;
  /** The basis of the preview that people approved; the tool stops where it finds another. */
  readonly basis?: string;
  /** The same for every run of one approval. */
  readonly idempotencyKey: string;
  /** The person who asked, by their ids in Slack. */
  readonly requester: { readonly team: string; readonly user: string };
  /** Names the Slack thread: the same text for all calls of one thread. */
  readonly thread: string & { readonly __thread: true };
  /** Shows people one line about how the run is going, on its card; the last one counts, and it goes when the run ends. */
  report(text: string): void;
}

/** What a run would do; with a basis, people are asked anew when it is another one at the run. */
export interface Preview {
  readonly text: string;
  readonly basis?: string | undefined;
}

/** A tool as its author writes it. */
export interface ToolDefinition<Schema extends ArgsSchema = ArgsSchema> {
  /** 1 to 64 letters, digits, `_` or `-`. */
  readonly name: string;
  /** For the model: what it does, and when to use it. */
  readonly description: string;
  /** A schema of objects, or of a choice of them, whose values are plain JSON: no transforms, dates or bigints. */
  readonly schema: Schema;
  /** May run again with the same `idempotencyKey` after a crash. (Default: people are asked what happened.) */
  readonly idempotent?: boolean | undefined;
  /** (Default: `medium`.) */
  readonly risk?: 'low' | 'medium' | 'high' | undefined;
  /** Dotted paths of arguments that are never shown, besides those that the schema marks (`format: 'password'`, `writeOnly` or `secret` in its meta). */
  readonly secrets?: readonly string[] | undefined;
  /** Returns what the model is told; throws when it failed, in words for the model. */
  run(args: ArgsOf<Schema>, context: ToolContext): unknown;
  /** Says what a run would do, from facts; nothing is changed by asking. */
  preview?(
    args: ArgsOf<Schema>,
  ): string | Preview | undefined | Promise<string | Preview | undefined>;
  /** Says in one line of at most 150 characters what a run would do, e.g. “Refund €80.00 to Jane Doe”: the heading of the card. It has 20 ms. (Default: the preview's first sentence, else the tool's name and its first argument.) */
  summary?(args: ArgsOf<Schema>): string | undefined;
  /** Arguments that the preview shows whole; the card does not repeat one that is found there word for word. */
  readonly previewed?: readonly string[] | undefined;
}

/** Returns the tool as it is; with it TypeScript knows the arguments of `run`, `preview` and `summary` by the schema. */
export function defineTool<Schema extends ArgsSchema>(
  tool: ToolDefinition<Schema>,
): ToolDefinition<Schema>;
