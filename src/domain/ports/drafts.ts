/** Form inputs that people have not submitted yet. */
export interface Drafts {
  /** Stores a text until a time (ms), replacing an earlier one. Expired texts are removed. */
  keep(id: string, text: string, until: number): Promise<void>;
  /** Undefined if missing or expired. */
  read(id: string): Promise<string | undefined>;
  drop(id: string): Promise<void>;
}
