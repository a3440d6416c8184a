import { createServerConnection } from '../../agent/mcp/connection/server-connection.ts';
import { listTools } from '../../agent/mcp/listing/list-tools.ts';
import { createToolListReader } from '../../agent/mcp/listing/tool-list-reader.ts';
import type { ServerSettings } from '../../agent/mcp/server-settings.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import { serverToolName } from '../../domain/tools/server-tools.ts';
import { SILENT_LOG } from '../../stores/silent-log.ts';
import { type Finding, messageOf } from './finding.ts';

/** The findings about MCP servers, and the names of their tools. */
export interface ServersCheck {
  readonly findings: readonly Finding[];
  readonly tools: readonly string[];
}

/** Connects to each MCP server, lists its tools and disconnects. */
export async function checkServers(
  servers: readonly ServerSettings[],
  deps: { readonly clock: Clock },
): Promise<ServersCheck> {
  if (servers.length === 0) {
    return { findings: [{ status: 'ok', message: 'No servers are configured.' }], tools: [] };
  }
  const checked = await Promise.all(servers.map((server) => checkServer(server, deps)));
  return {
    findings: checked.flatMap(({ findings }) => findings),
    tools: checked.flatMap(({ tools }) => tools),
  };
}

async function checkServer(
  settings: ServerSettings,
  { clock }: { readonly clock: Clock },
): Promise<ServersCheck> {
  const { name } = settings;
  const connection = createServerConnection(settings, {
    clock,
    log: SILENT_LOG,
    onListChanged: () => {},
    onQuestion: async () => ({ action: 'decline' }),
  });
  try {
    const session = await connection.open();
    const { tools } = await listTools(session);
    const read = await createToolListReader(name)(tools);
    const leftOut = read.flatMap((tool) =>
      tool.kind === 'left-out' ? [`“${name}”: ${tool.name} is not offered: ${tool.reason}.`] : [],
    );
    const names = read.flatMap((tool) =>
      tool.kind === 'tool' ? [serverToolName(name, tool.claims.tool)] : [],
    );
    const answers: Finding = { status: 'ok', message: `“${name}” offers ${names.length} tools.` };
    const warnings = leftOut.map((message): Finding => ({ status: 'warning', message }));
    return { findings: [answers, ...warnings], tools: names };
  } catch (error) {
    const message = `${messageOf(error)} Check its entry in MCP_CONFIG, and that it runs.`;
    return { findings: [{ status: 'problem', message }], tools: [] };
  } finally {
    await connection.close();
  }
}
