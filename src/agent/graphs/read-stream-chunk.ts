import { z } from 'zod';

/** A piece of the stream mode “messages”: a message as far as it has come, and where it comes from. */
const PIECE = z.tuple([
  z.object({ type: z.string(), id: z.string().nullish(), content: z.unknown() }),
  z.object({ langgraph_checkpoint_ns: z.string().optional() }),
]);
const TEXT = z.object({ type: z.literal('text'), text: z.string() });

/** Reads the words of the graph's own model; a helper's inside of it, and all that is no model's, are nobody's to read. */
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
