import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import type { Clock } from '../../domain/ports/clock.ts';
import { announceJoin } from './api/methods/membership-methods.ts';
import { createStreams } from './api/methods/stream-methods.ts';
import { openDirectMessage } from './api/post-message.ts';
import { createResponseUrls } from './api/response-urls.ts';
import { createEmulateBackend } from './backend/emulate-backend.ts';
import { createDelivery } from './delivery/delivery.ts';
import { createHttpTransport } from './delivery/http-transport.ts';
import { createSocketHub, type SocketHub } from './delivery/socket-hub.ts';
import { mountRoutes } from './mount-routes.ts';
import { createCommandActions } from './people/commands.ts';
import { createToasts, type PeopleContext } from './people/interaction-context.ts';
import { createSuggestions } from './people/option-suggestions.ts';
import { createPressActions } from './people/presses.ts';
import { createStopAction } from './people/stop-session.ts';
import { createSubmitActions } from './people/submissions.ts';
import { toChannel, toMember, viewWorkspace } from './people/visible-workspace.ts';
import { createWritingActions } from './people/writing.ts';
import { createTimestamps } from './slack-time.ts';
import { createAgentSessions } from './state/agent-sessions.ts';
import { createMessageStore } from './state/message-store.ts';
import { NO_PERSISTENCE, type PersistedState } from './state/persisted-state.ts';
import { changedChannels, createSlackDirectory } from './state/slack-directory.ts';
import { createThreadStatuses } from './state/thread-statuses.ts';
import { createTriggerIds } from './views/trigger-ids.ts';
import { createWorkspaceViews } from './views/views.ts';
import type { WorkspaceCore } from './workspace-core.ts';
import { createWorkspaceFaults } from './workspace-faults.ts';
import { createWorkspaceJournal } from './workspace-journal.ts';
import type { AppForm, Workspace } from './workspace-port.ts';
import {
  type ChannelSeed,
  DEFAULT_CHANNELS,
  DEFAULT_GROUPS,
  DEFAULT_MEMBERS,
  type GroupSeed,
  IDENTITY,
  type MemberSeed,
  toSlackId,
} from './workspace-seed.ts';

/** Options of a simulated workspace. */
export interface WorkspaceOptions {
  readonly clock: Clock;
  /** (Default: any free port.) */
  readonly port?: number;
  readonly host?: '127.0.0.1';
  readonly members?: readonly MemberSeed[];
  readonly channels?: readonly ChannelSeed[];
  readonly groups?: readonly GroupSeed[];
  readonly teamName?: string;
  /** The organization of the workspace. (Default: none.) */
  readonly enterprise?: string;
  /** State from before a restart, kept for the next one. (Default: nothing.) */
  readonly kept?: PersistedState;
  /** The agent feature in the app's manifest. (Default: the one in ours.) */
  readonly form?: AppForm;
  /** Mounts more routes on the workspace's port, such as the playground's page. */
  readonly extraRoutes?: (app: Hono) => void;
}

/**
 * Starts a simulated Slack workspace. Ids are the same at every start, so stored ids stay valid.
 */
export async function createWorkspace(options: WorkspaceOptions): Promise<Workspace> {
  const { clock, members = DEFAULT_MEMBERS, channels = DEFAULT_CHANNELS } = options;
  const { groups = DEFAULT_GROUPS, teamName = 'Playground', form = 'agent' } = options;
  const { kept = NO_PERSISTENCE } = options;
  const app = new Hono<{ Bindings: HttpBindings }>();
  const server = await listen(app, options);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const journal = createWorkspaceJournal(clock);
  const messages = createMessageStore(journal.changed, kept);
  const nextTs = createTimestamps(clock, messages.all().at(-1)?.ts);
  try {
    const backend = await createEmulateBackend({
      members,
      channels,
      teamName,
      baseUrl: url,
      nextTs,
      kept: { channels: changedChannels(kept), messages: messages.all() },
    });
    const sockets = createSocketHub(clock, journal);
    const faults = createWorkspaceFaults(sockets.disconnect);
    const core: WorkspaceCore = {
      form,
      clock,
      nextTs,
      url,
      teamName,
      enterprise: options.enterprise,
      backend,
      directory: createSlackDirectory(members, channels, groups, kept),
      messages,
      journal,
      faults,
      delivery: createDelivery({ clock, journal, faults }),
    };
    return assemble(core, app, server, sockets, options);
  } catch (error) {
    server.close();
    throw error;
  }
}

async function listen(
  app: Hono<{ Bindings: HttpBindings }>,
  { port = 0, host = '127.0.0.1' }: WorkspaceOptions,
): Promise<Server> {
  // Without HTTP/2 options the adaptor creates a plain HTTP server.
  const server = createAdaptorServer({
    fetch: app.fetch,
    overrideGlobalObjects: false,
  }) as Server;
  server.listen(port, host);
  await once(server, 'listening');
  return server;
}

function assemble(
  core: WorkspaceCore,
  app: Hono<{ Bindings: HttpBindings }>,
  server: Server,
  sockets: SocketHub,
  options: WorkspaceOptions,
): Workspace {
  const { clock, journal, directory, faults, delivery } = core;
  const statuses = createThreadStatuses(clock, journal.changed);
  const sessions = createAgentSessions(clock, journal.changed, options.kept);
  const streams = createStreams(core, statuses, sessions);
  const context: PeopleContext = {
    core,
    views: createWorkspaceViews(core.nextTs, journal.changed),
    triggers: createTriggerIds(clock, faults),
    responseUrls: createResponseUrls(core),
    toasts: createToasts(() => clock.now(), journal.changed),
  };
  mountRoutes(app, context, { statuses, sessions, streams, sockets }, options.extraRoutes);
  server.on('upgrade', sockets.upgrade);

  const suggestions = createSuggestions(context);
  const aborting = new AbortController();
  const writing = createWritingActions(core);
  return {
    url: core.url,
    apiUrl: `${core.url}/api/`,
    team: { ...IDENTITY.team, name: core.teamName },
    app: IDENTITY.app,
    botToken: IDENTITY.botToken,
    appToken: IDENTITY.appToken,
    signingSecret: IDENTITY.signingSecret,
    faults,
    journal: journal.entries,
    member: (name) => toMember(directory.member(name)),
    channel: (name) => toChannel(directory.channel(name)),
    ...createMembership(core),
    deliverTo: (target) =>
      delivery.deliverTo(
        target.kind === 'socket'
          ? sockets.transport
          : createHttpTransport({
              url: target.url,
              clock,
              signingSecret: IDENTITY.signingSecret,
              aborted: aborting.signal,
            }),
      ),
    connected: () =>
      journal.waitFor(() => (sockets.isConnected() ? null : undefined)).then(() => undefined),
    ...writing,
    deliverEvent: (event, { envelope, retryNum, retryReason = 'http_timeout' } = {}) =>
      delivery.eventOnce(
        event,
        envelope,
        retryNum === undefined ? undefined : { num: retryNum, reason: retryReason },
      ),
    deliverInteraction: delivery.interaction,
    ...createPressActions(context, suggestions),
    ...createSubmitActions(context),
    suggest: suggestions.suggest,
    ...createCommandActions(context, sessions),
    stopSession: createStopAction(core, sessions, streams),
    see: (name) => viewWorkspace(context, statuses, sessions, name),
    onChange: journal.onChange,
    waitFor: journal.waitFor,
    stop: createStop(core, server, sockets, [statuses, sessions], aborting),
  };
}

type Membership = Pick<Workspace, 'directMessage' | 'changeMember' | 'setUserGroup' | 'join'>;

function createMembership(core: WorkspaceCore): Membership {
  const { directory, journal, backend } = core;
  return {
    directMessage: async (name) => {
      const channel = await openDirectMessage(core, directory.member(name).id);
      if (channel === undefined) {
        throw new Error(`There is no DM between the app and ${name}.`);
      }
      return toChannel(channel);
    },
    changeMember: (name, changes) => {
      directory.putMember({ ...directory.member(name), ...changes });
      journal.changed();
    },
    setUserGroup: (handle, names) => {
      const id = toSlackId('S', handle);
      const members = names.map((name) => directory.member(name).id);
      directory.putGroup({ id, handle, members });
      journal.changed();
      return id;
    },
    join: async (name, channelName) => {
      const member = directory.member(name);
      const channel = directory.channel(channelName);
      const [inviter] = channel.members;
      const args = { channel: channel.id, users: member.id };
      const answer = await backend.call(inviter ?? '', 'conversations.invite', args);
      if (answer.ok !== true) {
        throw new Error(`The backend refused ${name} in #${channel.name}: ${answer.error}.`);
      }
      const next = { ...channel, members: [...channel.members, member.id] };
      directory.putChannel(next);
      journal.changed();
      announceJoin(core, next, member.id);
    },
  };
}

function createStop(
  core: WorkspaceCore,
  server: Server,
  sockets: SocketHub,
  displays: readonly { close(): void }[],
  aborting: AbortController,
): () => Promise<void> {
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    core.journal.close();
    core.delivery.close();
    for (const each of displays) each.close();
    aborting.abort();
    await sockets.close();
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
    await core.backend.close();
  };
  return () => {
    stopping ??= stop();
    return stopping;
  };
}
