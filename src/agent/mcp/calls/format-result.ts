/** Formats the result of a server's tool as text for the model. https://modelcontextprotocol.io/specification/2025-06-18/server/tools#tool-result */
import { z } from 'zod';
import { createBoundedOutput } from '../../tools/command/bounded-output.ts';
import { markUntrusted } from '../../tools/untrusted-text.ts';

/**
 * A result. Invalid content is no error, because the tool has run; each part is checked separately.
 */
export const ResultSchema = z.looseObject({
  content: z.unknown().optional(),
  structuredContent: z.unknown().optional(),
  isError: z.literal(true).optional().catch(undefined),
});

const Block = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.literal(['image', 'audio']), data: z.string(), mimeType: z.string() }),
  z.looseObject({ type: z.literal('resource_link'), uri: z.string(), name: z.string() }),
  z.looseObject({
    type: z.literal('resource'),
    resource: z.looseObject({
      uri: z.string(),
      mimeType: z.string().optional(),
      text: z.string().optional(),
      blob: z.string().optional(),
    }),
  }),
]);

const HEAD_BYTES = 30_000;
const TAIL_BYTES = 15_000;
const NAMED = 300;

/** Formats a result, limited in length and marked as untrusted. */
export function formatServerResult(server: string, result: z.output<typeof ResultSchema>): string {
  const { structuredContent: data } = result;
  // Some servers omit an empty list or send null.
  const content = result.content ?? [];
  const texts = (Array.isArray(content) ? content : [content]).map(describeBlock);
  const structured = data === undefined || data === null ? undefined : JSON.stringify(data);
  // Most servers also send the structured content as text.
  const isIncluded = structured === undefined || texts.some((text) => isSameJson(text, structured));
  const all = [...texts, ...(isIncluded ? [] : [structured])].filter((text) => text !== '');
  if (all.length === 0) return '';
  const kept = createBoundedOutput(HEAD_BYTES, TAIL_BYTES);
  kept.add(Buffer.from(all.join('\n')));
  return markUntrusted(`the MCP server “${server}”`, kept.text());
}

function describeBlock(block: unknown): string {
  const read = Block.safeParse(block);
  if (!read.success) return '[content of an unknown type: not shown]';
  const { data } = read;
  switch (data.type) {
    case 'text':
      return data.text;
    case 'image':
    case 'audio':
      return `[${data.type} ${cut(data.mimeType)}, about ${sizeOf(data.data)}: not shown]`;
    case 'resource_link':
      return `[resource ${cut(data.name)}: ${cut(data.uri)}]`;
    case 'resource': {
      const { blob, mimeType, text, uri } = data.resource;
      const type = mimeType === undefined ? '' : ` ${cut(mimeType)}`;
      if (text !== undefined) return `[resource ${cut(uri)}${type}]\n${text}`;
      return `[resource ${cut(uri)}${type}, about ${sizeOf(blob ?? '')}: not shown]`;
    }
  }
}

/** Describes the size of base64 data. */
function sizeOf(data: string): string {
  return `${Math.ceil((data.length * 3) / 4 / 1024)} KB`;
}

function cut(text: string): string {
  return text.length > NAMED ? `${text.slice(0, NAMED)}…` : text;
}

function isSameJson(text: string, json: string): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === json;
  } catch {
    // Not JSON, so not the same.
    return false;
  }
}
