import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { McpCaller, RequestDefaults } from './asker.ts';
import { createApprovalServer } from './create-approval-server.ts';
import { createStrictLines } from './strict-lines.ts';

/** Serves one client over two streams; resolves when its input has ended or the signal is aborted, and what waited is taken back. */
export async function serveStdio(
  asker: McpCaller,
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
  const server = createApprovalServer(() => asker, defaults);
  const messages = input.pipe(createStrictLines(output));
  const ended = Promise.race([
    once(messages, 'end', { signal }),
    once(input, 'close', { signal }),
    // A client that is gone can be told nothing.
    once(output, 'error', { signal }),
  ]);
  await server.mcp.connect(new StdioServerTransport(messages, output));
  await ended.catch(() => {});
  await server.close();
}
