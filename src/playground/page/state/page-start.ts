/** A member that the viewer can act as, and their role in the playground. */
export interface Persona {
  readonly name: string;
  readonly note: string;
}

/** A suggested message. */
export interface Suggestion {
  readonly label: string;
  readonly text: string;
}

/** The result of running a suggestion. */
export interface SuggestionResult {
  /** The timestamp of the message, if one was posted. */
  readonly ts?: string;
  /** What to do next, if that is not obvious. */
  readonly note?: string;
}

/** A file in the agent's workspace folder. */
export interface WorkspaceFile {
  readonly path: string;
  readonly size: number;
  readonly text: string;
}

/** Data that the page loads once, before its first render. */
export interface PageStart {
  readonly team: { readonly id: string; readonly name: string };
  readonly app: { readonly id: string; readonly botUserId: string; readonly name: string };
  readonly people: readonly Persona[];
  readonly scriptedModel: boolean;
  readonly suggestions: readonly Suggestion[];
  /** The thread to open first, if there is room for it beside its channel. */
  readonly opens?: { readonly channel: string; readonly thread: string };
}
