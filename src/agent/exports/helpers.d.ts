/** An agent that works for the main agent in its own thread. */
export interface HelperDefinition {
  /** 1 to 32 lower-case letters, digits or `-`, beginning with a letter. Shown on cards. */
  readonly name: string;
  /** Tells the main agent what this helper is good for. */
  readonly description: string;
  /** Its instructions. */
  readonly prompt: string;
  /** The names of its tools. */
  readonly tools: readonly string[] | 'all';
}

/** Returns the helper unchanged and checks its type. */
export function defineHelper(helper: HelperDefinition): HelperDefinition;
