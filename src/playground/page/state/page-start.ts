/** A member whom the viewer can act as, and what that person is there to show. */
export interface Persona {
  readonly name: string;
  readonly note: string;
}

/** A message worth trying first. */
export interface Suggestion {
  readonly label: string;
  readonly text: string;
}

/** What a suggestion began. */
export interface SuggestionResult {
  /** The message that was said, where one was. */
  readonly ts?: string;
  /** What to do next, where that is not to be seen. */
  readonly note?: string;
}

/** One file of the agent's workspace folder. */
export interface WorkspaceFile {
  readonly path: string;
  readonly size: number;
  readonly text: string;
}

/** What the page needs to know once, before it shows anything. */
export interface PageStart {
  readonly team: { readonly id: string; readonly name: string };
  readonly app: { readonly id: string; readonly botUserId: string; readonly name: string };
  readonly people: readonly Persona[];
  readonly scriptedModel: boolean;
  readonly suggestions: readonly Suggestion[];
  /** The thread to begin with, where there is room for it beside its channel. */
  readonly opens?: { readonly channel: string; readonly thread: string };
}
