import type { Drafts } from '../../../src/domain/ports/drafts.ts';

/** Drafts as the store keeps them, in memory: for tests of the edge, where time stands still. */
export function createMemoryDrafts(): Drafts & { readonly texts: Map<string, string> } {
  const texts = new Map<string, string>();
  return {
    texts,
    keep: async (id, text) => void texts.set(id, text),
    read: async (id) => texts.get(id),
    drop: async (id) => void texts.delete(id),
  };
}
