/** Calls tools of an MCP server like the official client. */
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Progress } from '@modelcontextprotocol/sdk/types.js';
import type { SmallDesk } from '../app/small-desk.ts';

/** Calls a tool. */
export type Call = (
  name: string,
  args: object,
  onProgress?: (progress: Progress) => void,
) => Promise<Told>;

/** The result of a tool. */
export interface Told {
  readonly isError: boolean;
  readonly text: string;
  readonly structured: Readonly<Record<string, unknown>>;
}

/** Creates the calls of a client. */
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

/** Decides the call that a request creates on a small desk, and resolves with its result. */
export async function decided(desk: SmallDesk, call: Promise<Told>, change: object): Promise<Told> {
  await desk.decide(change);
  return await call;
}
