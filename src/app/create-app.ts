/** The composition root. Resources close in the reverse order of opening. */
import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { createMcpTools } from '../agent/mcp/mcp-tools.ts';
import { createToolbox } from '../agent/tools/create-toolbox.ts';
import type { ToolDefinition } from '../agent/tools/define-tool.ts';
import { toExternalTool } from '../agent/tools/external-tool.ts';
import { createAttachmentFolder } from '../agent/tools/files/attachment-folder.ts';
import { createSendFile } from '../agent/tools/files/send-file.ts';
import { createWorkspaceBytes } from '../agent/tools/files/workspace-bytes.ts';
import { loadToolsModule } from '../agent/tools/load-tools-module.ts';
import type { SlackModeConfig } from '../config/config.ts';
import { graphNameOf } from '../config/graph-config.ts';
import { makeWorkspaceFolder } from '../config/paths/folder-problems.ts';
import { createUnstartedClaims } from '../desk/calls/execution/unstarted-claims.ts';
import { createRouteControl } from '../desk/control/routes.ts';
import { createServerToolControl } from '../desk/control/server-tools.ts';
import { createStopSignals } from '../desk/control/stop-signals.ts';
import { watchStops } from '../desk/control/watch-stops.ts';
import { createIntegrityAlarm } from '../desk/decisions/integrity-alarm.ts';
import { createDesk, createWorker, type Worker } from '../desk/desk.ts';
import { createAskQuestion } from '../desk/external/ask-question.ts';
import { type CallWatch, createCallWatch } from '../desk/external/watch-calls.ts';
import { countDeadLetters } from '../desk/worker/count-dead-letters.ts';
import { warnOfQuarantine } from '../desk/worker/quarantine.ts';
import type { OnDamaged } from '../domain/audit/damaged-record.ts';
import { createSeal } from '../domain/calls/seal.ts';
import type { Store } from '../domain/ports/store.ts';
import { withTimeout } from '../domain/runtime/timeout.ts';
import { createSecretMark } from '../domain/secrets/secret-mark.ts';
import { createServer } from '../http/create-server.ts';
import { createMcpHandler } from '../mcp/mcp-handler.ts';
import { createCallbacks } from '../net/create-callbacks.ts';
import { createSlackApp, type SlackApp } from '../slack/create-slack-app.ts';
import { createAttachmentSource } from '../slack/files/fetch-file.ts';
import { createFileUpload } from '../slack/files/upload-file.ts';
import { createReadThread } from '../slack/inbound/read-thread.ts';
import { createSlackChat } from '../slack/outbound/slack-chat.ts';
import { createSlackDirectory } from '../slack/people/slack-directory.ts';
import { createSlackVisibility } from '../slack/people/slack-visibility.ts';
import { connectSlack } from '../slack/transport/connect-slack.ts';
import { openStore } from '../stores/open-store.ts';
import { withSealedCalls } from '../stores/repositories/documents/sealed-ledger.ts';
import type { App, AppDeps, OpenedApp } from './app-deps.ts';
import { createCommandTool, createWebTools } from './create-machine-tools.ts';
import { openAgent } from './open-agent.ts';
import { openExternalApi } from './open-external-api.ts';
import { openGate, rerouteAllCalls } from './open-gate.ts';
import { createReleasers } from './releasers.ts';

/**
 * Longer than the ten minutes that a command may run, so that the command's own timeout fires
 * first.
 */
const TOOL_TIMEOUT_MS = 660_000;
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
  { clock, log, overrides = {}, extraRoutes, listening, tools = [] }: AppDeps,
  onRelease: (release: () => Promise<void>) => void,
): Promise<OpenedApp> {
  for (const warning of config.warnings) log.warn(warning);
  await makeWorkspaceFolder(config.workspaceDir);
  const own = config.toolsModule ? await loadToolsModule(config.toolsModule, clock) : undefined;
  const connection = await connectSlack({ config: config.slack, log });

  const graph = graphNameOf(config.graph);
  let worker: Worker | undefined;
  let slack: SlackApp | undefined;
  let watch: CallWatch | undefined;
  const onWake = () => {
    worker?.nudge();
    watch?.nudge();
    slack?.nudge();
  };
  const onDamaged: OnDamaged = (error) => worker?.onDamaged(error);
  const opened = await openStore(config, { clock, log, onWake, onDamaged });
  onRelease(() => opened.store.close());
  const { enterprise, team } = connection.identity;
  await opened.store.belongTo({ workspace: team, enterprise });
  const key = await opened.installationKey.read();
  const mark = createSecretMark(key);
  const store = { ...opened.store, ledger: withSealedCalls(opened.store.ledger, createSeal(key)) };
  const filesOff = await opened.findFilesProblem();

  const newId = () => randomBytes(16).toString('base64url');
  const toolTimeoutMs = overrides.toolTimeoutMs ?? TOOL_TIMEOUT_MS;
  const calls = createCallWatch({ audit: store.audit, clock, log });
  watch = calls;
  onRelease(async () => calls.stop());
  const askPeople = createAskQuestion({
    store,
    clock,
    newId,
    ofOutside: toExternalTool,
    watch: calls.watch,
  });
  const { pins } = store;
  const mcp = createMcpTools(config.mcp.servers, { pins, clock, log, askPeople, toolTimeoutMs });
  onRelease(() => mcp.stop());
  await mcp.start();

  const files = createWorkspaceBytes(config.workspaceDir);
  const send = createFileUpload({ connection, log });
  const { toolbox, helpers, leftOut } = createToolbox({
    workspaceDir: config.workspaceDir,
    withFiles: [createSendFile({ files, send }), await createCommandTool(config, { clock, log })],
    offered: createWebTools(config, { clock, reach: overrides.reach }),
    live: mcp,
    ...(filesOff !== undefined && { filesOff }),
    extra: withTools(own?.tools, tools),
    ...(own && { agents: own.agents }),
  });
  for (const { name, reason } of leftOut) log.warn({ tool: name }, `Left out a tool: ${reason}`);

  await logPause(store, log);
  const rules = await openGate(config, {
    store,
    connection,
    toolbox,
    helpers,
    graph,
    clock,
    log,
    onRelease,
  });

  const { adminUsers, ...senderPolicy } = config.talk;
  const directory = createSlackDirectory({ connection, clock, log, adminUsers });
  const visibility = createSlackVisibility({ connection, directory, clock, log });

  const agent = await openAgent(config, {
    toolbox,
    helpers,
    history: store.history,
    checkpoints: store.checkpoints,
    saver: store.saver,
    clock,
    onRelease,
    checksModel: overrides.checksModel ?? true,
    ...(config.modelSeesImages && { readImage: files.read }),
    timezoneOf: async (person) => (await directory.profileOf(person)).timezone,
    log,
    onDelta: (thread, text, restarts) => worker?.live.delta(thread, text, restarts),
  });

  const signals = createStopSignals();
  const claims = createUnstartedClaims();
  const integrity = createIntegrityAlarm(log);
  const known = { directory, visibility, senderPolicy, integrity, log, graph };
  const gate = overrides.gate ?? rules.gate;
  const desk = createDesk({
    ...{ store, toolbox, helpers, gate, clock, signals, claims, onDamaged },
    ...known,
  });
  const callbacks = createCallbacks({ installationKey: key, clock, reach: overrides.reach });
  worker = createWorker({
    store,
    agent,
    chat: createSlackChat({
      connection,
      toolbox,
      mark,
      detail: config.notificationDetail,
      log,
    }),
    toolbox,
    helpers,
    gate,
    attachments: {
      source: createAttachmentSource({ connection, clock, log }),
      folder: createAttachmentFolder(files, filesOff),
    },
    readThread: createReadThread({ connection, log }),
    ...known,
    signals,
    claims,
    clock,
    newId,
    toolTimeoutMs,
    leaseMs: overrides.leaseMs,
    showsUsage: config.showsUsage,
    maxPendingPerPerson: config.maxPendingPerPerson,
    retention: { ...config.keeping, lookBackMs: rules.lookBackMs },
    admins: adminUsers,
    team: connection.identity.team,
    onDamaged,
    digestOver: config.digestOver,
    callbacks,
  });
  const external = await openExternalApi(config, {
    ...{ store, toolbox, helpers, gate, directory, clock, log, integrity, newId, desk, callbacks },
    team: connection.identity.team,
    installationKey: key,
    watch: calls.watch,
  });
  const mcpHandler = createMcpHandler({ keyIdOf: external.api.keyIdOf, clock });
  const cardOf = (callId: string) => store.ledger.cardOf(callId);
  const { policy } = rules;
  const routes = createRouteControl({ store, directory, toolbox, clock, log, policy });
  const slackApp = createSlackApp({
    connection,
    desk,
    routes,
    tools: createServerToolControl({ store, directory, clock, log, tools: mcp }),
    directory,
    toolbox,
    mark,
    cardOf,
    drafts: store.drafts,
    clock,
    log,
  });
  slack = slackApp;

  const server = await createServer({
    host: config.host,
    port: config.port,
    keepAliveMs: config.http.keepAliveMs,
    headersMs: config.http.headersMs,
    clock,
    log,
    checks: { store: () => store.check(), slack: () => slackApp.check() },
    parked: async () => countDeadLetters(await store.agenda.deadLetters()),
    warnings: async () => [
      ...warnOfQuarantine(await desk.listQuarantined()),
      ...(slackApp.refused?.warnings() ?? []),
    ],
    onSlackSkew: slackApp.refused?.noteSkew,
    ...(slackApp.requestListener && { slackListener: slackApp.requestListener }),
    api: external.api.routes,
    mcp: mcpHandler.handle,
    listening,
    ...(extraRoutes && { extraRoutes }),
  });
  onRelease(() => server.close());
  const working = worker;
  onRelease(async () => {
    // Stop claiming calls first. Meanwhile the last events from Slack are still stored.
    const ended = working.stop(overrides.stopGraceMs ?? STOP_GRACE_MS);
    await slackApp.stop();
    await ended;
    const updatesSent = working.live.stop().then(() => working.status.settled());
    await withTimeout(clock, LAST_UPDATES_MS, updatesSent, () => {});
  });
  await rerouteAllCalls(store, clock);
  working.start();
  if (opened.isShared) {
    const cancel = watchStops({ inbox: store.inbox, signals, clock, log });
    onRelease(async () => cancel());
  }
  onRelease(async () => {
    server.stopReady();
    await withTimeout(clock, LAST_UPDATES_MS, mcpHandler.close(), () => {});
    external.api.close();
  });
  await slackApp.start();
  const toolNames = () => toolbox.list().map(({ name }) => name);
  return { url: server.url, routes, keys: store.keys, toolNames };
}

function withTools(own: readonly ToolDefinition[] = [], further: readonly ToolDefinition[]) {
  const names = new Set(own.map(({ name }) => name));
  return [...own, ...further.filter(({ name }) => !names.has(name))];
}

async function logPause({ pause }: Pick<Store, 'pause'>, log: Logger): Promise<void> {
  const paused = await pause.read();
  if (!paused) return;
  const sentence = 'Paused: nothing new runs until an admin types “/countersign resume”.';
  log.warn({ pause: paused }, sentence);
}
