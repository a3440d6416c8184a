import { Readable } from 'node:stream';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { Log } from '../../../domain/ports/log.ts';
import type { ServerSettings } from '../server-settings.ts';
import { fetchFromServer } from './server-fetch.ts';
import { forEachLine } from './split-lines.ts';

/** Opens the transport to a server. A process's standard error goes to our log. */
export function openTransport(
  { name, reach }: ServerSettings,
  log: Pick<Log, 'debug'>,
): { readonly transport: Transport; endSession(): Promise<void> } {
  const endNothing = async () => {};
  if (reach.kind === 'stdio') {
    const { args, command, cwd, env } = reach;
    const transport = new StdioClientTransport({
      command,
      args: [...args],
      // The SDK adds a few harmless variables, none of ours.
      env: { ...env },
      stderr: 'pipe',
      ...(cwd !== undefined && { cwd }),
    });
    const { stderr } = transport;
    if (stderr instanceof Readable) {
      forEachLine(stderr, (line) => log.debug({ server: name, line }, 'An MCP server wrote.'));
    }
    return { transport, endSession: endNothing };
  }
  const url = new URL(reach.url);
  const options = { requestInit: { headers: { ...reach.headers } }, fetch: fetchFromServer };
  // For servers of the protocol's older version.
  if (reach.kind === 'sse') {
    return { transport: new SSEClientTransport(url, options), endSession: endNothing };
  }
  const transport = new StreamableHTTPClientTransport(url, options);
  // The cast is needed because the class allows an undefined session id and the interface does not.
  return { transport: transport as Transport, endSession: () => transport.terminateSession() };
}
