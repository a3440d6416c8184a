import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { McpCaller, RequestDefaults } from './asker.ts';
import { createApprovalServer } from './create-approval-server.ts';
import { createStrictLines } from './strict-lines.ts';

/** Serves one client over two streams. Resolves when the input ends or the signal aborts, and waiting requests are cancelled. */
export async function serveStdio(
  caller: McpCaller,
  {
    defaults,
    input,
    output,
    signal,
  }: {
    readonly defaults: RequestDefaults;
    readonly input: Readable;
    readonly output: Writable;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const server = createApprovalServer(() => caller, defaults);
  const messages = input.pipe(createStrictLines(output));
  const ended = Promise.race([
    once(messages, 'end', { signal }),
    once(input, 'close', { signal }),
    // A client that closed its input can't receive a response.
    once(output, 'error', { signal }),
  ]);
  await server.mcp.connect(new StdioServerTransport(messages, output));
  await ended.catch(() => {});
  await server.close();
}
