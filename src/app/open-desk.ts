import { createAttachmentFolder } from '../agent/tools/files/attachment-folder.ts';
import type { SlackModeConfig } from '../config/config.ts';
import { graphNameOf } from '../config/graph-config.ts';
import { createUnstartedClaims } from '../desk/calls/execution/unstarted-claims.ts';
import { createStopSignals } from '../desk/control/stop-signals.ts';
import { createIntegrityAlarm } from '../desk/decisions/integrity-alarm.ts';
import { createDesk, createWorker } from '../desk/desk.ts';
import { createCallbacks } from '../net/create-callbacks.ts';
import { createAttachmentSource } from '../slack/files/fetch-file.ts';
import { createReadThread } from '../slack/inbound/read-thread.ts';
import { createSlackChat } from '../slack/outbound/slack-chat.ts';
import { createSlackDirectory } from '../slack/people/slack-directory.ts';
import { createSlackVisibility } from '../slack/people/slack-visibility.ts';
import type { AppParts } from './app-deps.ts';
import { openAgent } from './open-agent.ts';
import { openGate } from './open-gate.ts';
import type { Records } from './open-records.ts';
import type { Tools } from './open-tools.ts';

type DeskParts = AppParts & Records & Tools;

export type OpenedDesk = Awaited<ReturnType<typeof openDesk>>;

/** Opens the policy and the agent, and creates the desk with its worker. The worker does not start yet. */
export async function openDesk(config: SlackModeConfig, parts: DeskParts) {
  const { clock, connection, events, helpers, installationKey, log, overrides = {} } = parts;
  const { store, toolbox } = parts;
  const graph = graphNameOf(config.graph);
  const rules = await openGate(config, { ...parts, graph });
  const { adminUsers, ...senderPolicy } = config.talk;
  const directory = createSlackDirectory({ connection, clock, log, adminUsers });
  const visibility = createSlackVisibility({ connection, directory, clock, log });
  const agent = await openAgent(config, {
    ...{ toolbox, helpers, clock, log },
    history: store.history,
    checkpoints: store.checkpoints,
    saver: store.saver,
    onRelease: parts.onRelease,
    checksModel: overrides.checksModel ?? true,
    ...(config.modelSeesImages && { readImage: parts.files.read }),
    timezoneOf: async (person) => (await directory.profileOf(person)).timezone,
    onDelta: events.answer.emit,
  });
  const integrity = createIntegrityAlarm(log);
  const signals = createStopSignals();
  const gate = overrides.gate ?? rules.gate;
  const known = {
    ...{ store, toolbox, helpers, gate, clock, log, signals, onDamaged: events.damaged.emit },
    ...{ directory, visibility, senderPolicy, integrity, graph, claims: createUnstartedClaims() },
  };
  const callbacks = createCallbacks({ installationKey, clock, reach: overrides.reach });
  const worker = createWorker({
    ...known,
    ...slackPartsOf(config, parts),
    ...{ agent, callbacks, newId: parts.newId, toolTimeoutMs: parts.toolTimeoutMs },
    leaseMs: overrides.leaseMs,
    showsUsage: config.showsUsage,
    maxPendingPerPerson: config.maxPendingPerPerson,
    retention: { ...config.keeping, lookBackMs: rules.lookBackMs },
    admins: adminUsers,
    digestOver: config.digestOver,
  });
  events.wake.on(() => worker.nudge());
  events.damaged.on((error) => worker.onDamaged(error));
  events.answer.on((...piece) => worker.live.delta(...piece));
  const desk = createDesk(known);
  return { desk, worker, directory, signals, integrity, callbacks, gate, policy: rules.policy };
}

/** What the worker reads from Slack and posts to it. */
function slackPartsOf({ notificationDetail: detail }: SlackModeConfig, parts: DeskParts) {
  const { clock, connection, files, filesOff, log, mark, toolbox } = parts;
  return {
    team: connection.identity.team,
    chat: createSlackChat({ connection, toolbox, mark, detail, log }),
    attachments: {
      source: createAttachmentSource({ connection, clock, log }),
      folder: createAttachmentFolder(files, filesOff),
    },
    readThread: createReadThread({ connection, log }),
  };
}
