import type { Preview } from './tool.ts';

/** What a call stores of its preview. */
export function storedPreview(preview: Preview | undefined): {
  readonly preview?: string;
  readonly basis?: string;
} {
  if (!preview) return {};
  const { text, basis } = preview;
  return { preview: text, ...(basis === undefined ? {} : { basis }) };
}
