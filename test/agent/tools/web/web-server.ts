import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DefinedTool } from '../../../../src/agent/tools/define-tool.ts';
import { createFetchUrl } from '../../../../src/agent/tools/web/fetch-url.ts';
import type { JsonValue } from '../../../../src/domain/json/json.ts';
import type { Tool } from '../../../../src/domain/tools/tool.ts';
import type { WebAccess } from '../../../../src/net/ssrf-guard.ts';
import { createSystemClock } from '../../../../src/process/system-clock.ts';
import { REQUESTER } from '../../../support/builders/a-call.ts';
import { NO_SIGNAL, THREAD } from '../../agent-fixture.ts';

/** A real server on the loopback interface, with the requests that reached it. */
export async function createWebServer(
  t: { after(end: () => void): void },
  listener: RequestListener,
) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    // A client that has read enough closes the connection.
    response.on('error', () => {});
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    requests,
    at: (path: string, host = 'page.test') => `http://${host}:${port}${path}`,
  };
}

/** A network check in which 127.0.0.1 is public, the names in `inside` are private, and any port is allowed. */
function createReach(changes: Partial<WebAccess> = {}): WebAccess {
  return {
    isPublic: (address) => address === '127.0.0.1',
    isAllowedPort: () => true,
    resolve: async (host) => [
      { address: host.startsWith('inside') ? '127.0.0.2' : '127.0.0.1', family: 4 },
    ],
    ...changes,
  };
}

export function toTool(made: DefinedTool): Tool {
  assert(made.kind === 'tool', JSON.stringify(made));
  return made.tool;
}

export async function run(tool: Tool, args: JsonValue, signal = NO_SIGNAL): Promise<string> {
  const parsed = tool.parse(args);
  assert(parsed.ok, JSON.stringify(parsed));
  return await tool.run(parsed.value, {
    signal,
    callId: 'call_k',
    idempotencyKey: 'k',
    report: () => {},
    requester: REQUESTER,
    thread: THREAD,
  });
}

export const fetchTool = (changes: Partial<WebAccess> = {}, clock = createSystemClock()) =>
  toTool(createFetchUrl({ clock, reach: createReach(changes) }));

export const HTML = { 'content-type': 'text/html; charset=utf-8' };
export const TEXT = { 'content-type': 'text/plain' };
