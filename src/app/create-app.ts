/** Composes the app: each `open-….ts` is the root of one part. */
import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { loadToolsModule } from '../agent/tools/load-tools-module.ts';
import type { SlackModeConfig } from '../config/config.ts';
import { makeWorkspaceFolder } from '../config/paths/folder-problems.ts';
import { createRouteControl } from '../desk/control/routes.ts';
import { createServerToolControl } from '../desk/control/server-tools.ts';
import { watchStops } from '../desk/control/watch-stops.ts';
import { countDeadLetters } from '../desk/worker/count-dead-letters.ts';
import { warnOfQuarantine } from '../desk/worker/quarantine.ts';
import type { Store } from '../domain/ports/store.ts';
import { withTimeout } from '../domain/runtime/timeout.ts';
import type { Api } from '../http/api/create-api.ts';
import { createServer } from '../http/create-server.ts';
import { createMcpHandler, type McpHandler } from '../mcp/mcp-handler.ts';
import { createSlackApp, type SlackApp } from '../slack/create-slack-app.ts';
import { connectSlack } from '../slack/transport/connect-slack.ts';
import type { App, AppDeps, AppParts, OpenedApp } from './app-deps.ts';
import { createAppEvents } from './app-events.ts';
import { type OpenedDesk, openDesk } from './open-desk.ts';
import { openExternalApi } from './open-external-api.ts';
import { rerouteAllCalls } from './open-gate.ts';
import { openRecords, type Records } from './open-records.ts';
import { openTools, type Tools } from './open-tools.ts';
import { createReleasers } from './releasers.ts';

/** How long running tools may take to end. Leaves time to exit within 30 s. */
const STOP_GRACE_MS = 25_000;
/** How long to wait at shutdown for the last updates that people would see. */
const LAST_UPDATES_MS = 1_000;

/**
 * Starts the app in its workspace. If the start fails, closes everything it opened and rethrows.
 */
export async function createApp(config: SlackModeConfig, deps: AppDeps): Promise<App> {
  const releasers = createReleasers(deps.log);
  try {
    const opened = await open(config, deps, releasers.add);
    return { ...opened, stop: releasers.releaseAll };
  } catch (error) {
    await releasers.releaseAll();
    throw error;
  }
}

async function open(
  config: SlackModeConfig,
  deps: AppDeps,
  onRelease: AppParts['onRelease'],
): Promise<OpenedApp> {
  const { clock, log } = deps;
  for (const warning of config.warnings) log.warn(warning);
  await makeWorkspaceFolder(config.workspaceDir);
  const own = config.toolsModule ? await loadToolsModule(config.toolsModule, clock) : undefined;
  const connection = await connectSlack({ config: config.slack, log });

  const newId = () => randomBytes(16).toString('base64url');
  const parts: AppParts = { ...deps, connection, newId, onRelease, events: createAppEvents() };
  const records = await openRecords(config, parts);
  const tools = await openTools(config, { ...parts, ...records, own });
  await logPause(records.store, log);
  const desk = await openDesk(config, { ...parts, ...records, ...tools });
  const all: AllParts = { ...parts, ...records, ...tools, ...desk };

  const external = await openExternal(config, all);
  const mcpHandler = createMcpHandler({ keyIdOf: external.api.keyIdOf, clock });
  const { routes, slack } = openSlack(all);
  const server = await openServer(config, all, { slack, api: external.api, mcpHandler });
  onRelease(() => server.close());
  onRelease(() => stopWorking(all, slack));
  await rerouteAllCalls(records.store, clock);
  desk.worker.start();
  if (records.isShared) {
    const cancel = watchStops({ inbox: records.store.inbox, signals: desk.signals, clock, log });
    onRelease(async () => cancel());
  }
  onRelease(async () => {
    server.stopReady();
    await withTimeout(clock, LAST_UPDATES_MS, mcpHandler.close(), () => {});
    external.api.close();
  });
  await slack.start();
  const toolNames = () => tools.toolbox.list().map(({ name }) => name);
  return { url: server.url, routes, keys: records.store.keys, toolNames };
}

type AllParts = AppParts & Records & Tools & OpenedDesk;

async function openExternal(config: SlackModeConfig, parts: AllParts) {
  const { callbacks, clock, desk, directory, gate, helpers, integrity, log, newId } = parts;
  const { calls, connection, installationKey, store, toolbox } = parts;
  return await openExternalApi(config, {
    ...{ store, toolbox, helpers, gate, directory, clock, log, integrity, newId, desk, callbacks },
    ...{ installationKey, team: connection.identity.team, watch: calls.watch },
  });
}

function openSlack(parts: AllParts) {
  const { clock, desk, directory, events, log, mark, mcp, policy, store, toolbox } = parts;
  const routes = createRouteControl({ store, directory, toolbox, clock, log, policy });
  const slack = createSlackApp({
    ...{ desk, routes, directory, toolbox, mark, clock, log },
    connection: parts.connection,
    tools: createServerToolControl({ store, directory, clock, log, tools: mcp }),
    cardOf: (callId) => store.ledger.cardOf(callId),
    drafts: store.drafts,
  });
  events.wake.on(() => slack.nudge());
  return { routes, slack };
}

async function openServer(
  config: SlackModeConfig,
  { clock, desk, extraRoutes, listening, log, store }: AllParts,
  served: { readonly slack: SlackApp; readonly api: Api; readonly mcpHandler: McpHandler },
) {
  const { api, mcpHandler, slack } = served;
  return await createServer({
    ...{ clock, log, listening },
    host: config.host,
    port: config.port,
    keepAliveMs: config.http.keepAliveMs,
    headersMs: config.http.headersMs,
    checks: { store: () => store.check(), slack: () => slack.check() },
    parked: async () => countDeadLetters(await store.agenda.deadLetters()),
    warnings: async () => [
      ...warnOfQuarantine(await desk.listQuarantined()),
      ...(slack.refused?.warnings() ?? []),
    ],
    onSlackSkew: slack.refused?.noteSkew,
    ...(slack.requestListener && { slackListener: slack.requestListener }),
    api: api.routes,
    mcp: mcpHandler.handle,
    ...(extraRoutes && { extraRoutes }),
  });
}

/** Stops claiming calls first. Meanwhile the last events from Slack are still stored. */
async function stopWorking(
  { clock, overrides = {}, worker }: AllParts,
  slack: SlackApp,
): Promise<void> {
  const ended = worker.stop(overrides.stopGraceMs ?? STOP_GRACE_MS);
  await slack.stop();
  await ended;
  const updatesSent = worker.live.stop().then(() => worker.status.settled());
  await withTimeout(clock, LAST_UPDATES_MS, updatesSent, () => {});
}

async function logPause({ pause }: Pick<Store, 'pause'>, log: Logger): Promise<void> {
  const paused = await pause.read();
  if (!paused) return;
  const sentence = 'Paused: nothing new runs until an admin types “/countersign resume”.';
  log.warn({ pause: paused }, sentence);
}
