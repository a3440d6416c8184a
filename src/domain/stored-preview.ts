import type { Preview } from './tool.ts';

/** The basis of a call that nobody could be shown a preview of: a tool that binds its runs finds another one, and does not run. */
export const UNSEEN = 'unseen';

/** What a call stores of its preview. */
export function storedPreview(preview: Preview | undefined): {
  readonly preview?: string;
  readonly basis?: string;
} {
  if (!preview) return {};
  const { text, basis } = preview;
  return { preview: text, ...(basis === undefined ? {} : { basis }) };
}
