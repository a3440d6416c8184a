import type { Preview } from '../tools/tool.ts';

/** The basis of a call that nobody could be shown a preview of: a tool that binds its runs finds another one, and does not run. */
export const UNSEEN_BASIS = 'unseen';

/** What a preview begins with that says why a run would fail. */
export const WOULD_FAIL_PREFIX = 'As things stand, this would fail: ';

/** What a call says of itself, made by its tool when an attempt began. */
export interface CallPreview {
  readonly preview?: Preview | undefined;
  /** In one line, without secrets. */
  readonly summary?: string | undefined;
}

/** What a call stores of that. */
export function toStoredPreview({ preview, summary }: CallPreview): {
  readonly preview?: string;
  readonly basis?: string;
  readonly summary?: string;
} {
  return {
    ...(preview && { preview: preview.text }),
    ...(preview?.basis !== undefined && { basis: preview.basis }),
    ...(summary !== undefined && { summary }),
  };
}
