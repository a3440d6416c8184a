/** The official conformance suite against `/mcp`: the scenarios for servers that need no tools of its own. https://github.com/modelcontextprotocol/conformance */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { request as ask, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { setApiStage } from '../http/api/api-stage.ts';
import { makeTempDir } from '../support/temp-dir.ts';

const SUITE = fileURLToPath(
  new URL('../../node_modules/@modelcontextprotocol/conformance/dist/index.js', import.meta.url),
);
/** The other scenarios call tools, prompts and resources that only the suite's own server has. */
const SCENARIOS = [
  'server-initialize',
  'ping',
  'tools-list',
  'server-sse-multiple-streams',
  'dns-rebinding-protection',
];

/** Forwards everything unchanged, with the key that the suite has no option for. */
async function startKeyProxy(t: TestContext, target: string, token: string): Promise<string> {
  const { hostname, port } = new URL(target);
  const proxy = createServer((incoming, response) => {
    const { method, url: path } = incoming;
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` };
    const sent = ask({ hostname, port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    sent.on('error', () => response.destroy());
    response.on('close', () => sent.destroy());
    incoming.pipe(sent);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  t.after(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`;
}

describe('the MCP conformance suite', () => {
  for (const scenario of SCENARIOS) {
    it(`passes ${scenario}`, async (t) => {
      const stage = await setApiStage(t);
      const url = await startKeyProxy(t, stage.url(), await stage.key());
      const { path: cwd, remove } = await makeTempDir();
      t.after(remove);
      const args = [SUITE, 'server', '--url', url, '--scenario', scenario];
      const result = await promisify(execFile)(process.execPath, args, {
        cwd,
        timeout: 60_000,
      }).catch((error: { readonly stdout?: string; readonly stderr?: string }) => error);
      const text = `${result.stdout}${result.stderr}`;
      assert.match(text, /Passed: ([1-9]\d*)\/\1, 0 failed, 0 warnings/, text);
    });
  }
});
