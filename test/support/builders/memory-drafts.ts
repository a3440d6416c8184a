import type { Drafts } from '../../../src/domain/ports/drafts.ts';

/** Drafts like those of the store, in memory: for adapter tests without a moving clock. */
export function createMemoryDrafts(): Drafts & { readonly texts: Map<string, string> } {
  const texts = new Map<string, string>();
  return {
    texts,
    keep: async (id, text) => void texts.set(id, text),
    read: async (id) => texts.get(id),
    drop: async (id) => void texts.delete(id),
  };
}
