import type { Preview } from '../tools/tool.ts';

/**
 * Basis of a call shown without a preview. A tool that binds its runs sees another basis and does
 * not run.
 */
export const UNSEEN_BASIS = 'unseen';

/** Prefix of a preview that says why the run would fail. */
export const WOULD_FAIL_PREFIX = 'As things stand, this would fail: ';

/** The preview and summary that the tool made at the start of an attempt. */
export interface CallPreview {
  readonly preview?: Preview | undefined;
  /** One line, without secrets. */
  readonly summary?: string | undefined;
}

/** Returns the parts of a preview that a call stores. */
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
