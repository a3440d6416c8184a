/** Calls tools of an MCP server as the official client does. */
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Progress } from '@modelcontextprotocol/sdk/types.js';
import type { SmallDesk } from '../app/small-desk.ts';

/** Calls a tool. */
export type Call = (
  name: string,
  args: object,
  onProgress?: (progress: Progress) => void,
) => Promise<Told>;

/** What a tool answered. */
export interface Told {
  readonly isError: boolean;
  readonly text: string;
  readonly structured: Readonly<Record<string, unknown>>;
}

/** Makes the calls of a client. */
export function caller(client: Client): Call {
  return async (name, args, onprogress) => {
    const options = onprogress ? { onprogress, resetTimeoutOnProgress: true } : {};
    const params = { name, arguments: args as Record<string, unknown> };
    const result = await client.callTool(params, undefined, options);
    const [content] = result.content as { type: string; text: string }[];
    return {
      isError: result.isError === true,
      text: content?.text ?? '',
      structured: (result.structuredContent ?? {}) as Record<string, unknown>,
    };
  };
}

/** Decides what a call asks of a small desk, and resolves with its answer. */
export async function decided(desk: SmallDesk, call: Promise<Told>, change: object): Promise<Told> {
  await desk.decide(change);
  return await call;
}
