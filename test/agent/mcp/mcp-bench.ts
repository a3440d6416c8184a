/** Tools of servers on a real store, with a clock that the test moves. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { createMcpTools, type McpTools } from '../../../src/agent/mcp/mcp-tools.ts';
import type { ServerSettings } from '../../../src/agent/mcp/server-settings.ts';
import type { AskPeople } from '../../../src/domain/tools/server-tools.ts';
import type { Tool, ToolContext } from '../../../src/domain/tools/tool.ts';
import { createSqliteStore } from '../../../src/stores/sqlite/create-sqlite-store.ts';
import { REQUESTER, THREAD } from '../../support/builders/a-call.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { plainModule } from '../../support/plain-module.ts';
import type { HttpFixture } from '../../support/servers/mcp-fixture.ts';
import { makeTempDir } from '../../support/temp-dir.ts';

const STDIO = join(import.meta.dirname, '../../fixtures/mcp-server.ts');
export const TOOL_TIMEOUT_MS = 60_000;

export function overHttp(name: string, { url }: Pick<HttpFixture, 'url'>): ServerSettings {
  return { name, reach: { kind: 'http', url, headers: { authorization: 'Bearer secret-token' } } };
}

export function overStdio(name: string): ServerSettings {
  const { entry, execArgv } = plainModule(STDIO);
  const args = [...execArgv, entry];
  const env = { FIXTURE_KEY: 'key-of-the-fixture' };
  return { name, reach: { kind: 'stdio', command: process.execPath, args, env } };
}

export async function build(
  t: TestContext,
  settings: readonly ServerSettings[],
  askPeople: AskPeople = async () => ({ kind: 'cancel' }),
) {
  const folder = await makeTempDir();
  const clock = createManualClock(1_700_000_000_000);
  const store = createSqliteStore({ dataDir: folder.path, clock });
  const lines: string[] = [];
  const write = (fields: object, message: string) => {
    lines.push(`${JSON.stringify(fields)} ${message}`);
  };
  const log = { debug: write, info: write, warn: write, error: write };
  const all: McpTools[] = [];
  const make = async (those = settings) => {
    const { pins } = store;
    const made = createMcpTools(those, {
      ...{ pins, clock, log, askPeople },
      toolTimeoutMs: TOOL_TIMEOUT_MS,
    });
    all.push(made);
    await made.start();
    return made;
  };
  t.after(async () => {
    for (const each of all) await each.stop();
    await store.close();
    await folder.remove();
  });
  return { tools: await make(), make, store, clock, lines };
}

export function contextOf(signal = new AbortController().signal, callId = 'call_1'): ToolContext {
  const idempotencyKey = `${callId}.1`;
  const run = { signal, callId, idempotencyKey, requester: REQUESTER, thread: THREAD };
  return { ...run, report: () => {} };
}

export function find(tools: McpTools, name: string): Tool {
  const tool = tools.list().find((each) => each.name === name);
  assert(tool, `${name} is not among ${tools.list().map((each) => each.name)}`);
  return tool;
}

export const run = (tools: McpTools, name: string, args = {}, signal?: AbortSignal) =>
  find(tools, name).run(args, contextOf(signal));

export const namesOf = (tools: McpTools) => tools.list().map(({ name }) => name);
