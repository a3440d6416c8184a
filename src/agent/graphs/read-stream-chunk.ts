import { z } from 'zod';

/** A chunk of stream mode “messages”: a part of a message, and the node it comes from. */
const PIECE = z.tuple([
  z.object({ type: z.string(), id: z.string().nullish(), content: z.unknown() }),
  z.object({ langgraph_checkpoint_ns: z.string().optional() }),
]);
const TEXT = z.object({ type: z.literal('text'), text: z.string() });

/**
 * Returns text of the graph's own model. Ignores subgraphs and everything that is not model output.
 */
export function readStreamChunk(
  piece: unknown,
): { readonly text: string; readonly id: string | undefined } | undefined {
  const [message, from] = PIECE.safeParse(piece).data ?? [];
  if (!message || !from || !/^ai/i.test(message.type)) return undefined;
  if (from.langgraph_checkpoint_ns?.includes('|')) return undefined;
  const text = textOf(message.content);
  return text === '' ? undefined : { text, id: message.id ?? undefined };
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => TEXT.safeParse(part).data?.text ?? '').join('');
}
