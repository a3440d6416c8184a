/** An agent that works for the main one, in a thread of its own. */
export interface HelperDefinition {
  /** 1 to 32 lower-case letters, digits or `-`, beginning with a letter; also for people, on cards. */
  readonly name: string;
  /** For the agent that gives it work: what it is good for. */
  readonly description: string;
  /** Its standing instructions. */
  readonly prompt: string;
  /** The names of its tools. */
  readonly tools: readonly string[] | 'all';
}

/** Returns the helper as it is; with it TypeScript checks its fields. */
export function defineHelper(helper: HelperDefinition): HelperDefinition;
