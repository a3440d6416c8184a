import { toExternalTool } from '../../../src/agent/tools/external-tool.ts';
import type { RouteControl } from '../../../src/desk/control/routes.ts';
import type { Call, CardPlace } from '../../../src/domain/calls/call.ts';
import type { Chat } from '../../../src/domain/ports/chat.ts';
import type { Clock } from '../../../src/domain/ports/clock.ts';
import type { Directory } from '../../../src/domain/ports/directory.ts';
import { threadKey } from '../../../src/domain/threads/thread-key.ts';
import type { Tool } from '../../../src/domain/tools/tool.ts';
import { buildToolbox } from '../../../src/domain/tools/toolbox.ts';
import { createServer } from '../../../src/http/create-server.ts';
import { createWorkspace } from '../../../src/playground/workspace/create-workspace.ts';
import type {
  AppForm,
  Workspace,
  WorkspaceMessage,
} from '../../../src/playground/workspace/workspace-port.ts';
import { createSystemClock } from '../../../src/process/system-clock.ts';
import { createSlackApp } from '../../../src/slack/create-slack-app.ts';
import { createSlackChat } from '../../../src/slack/outbound/slack-chat.ts';
import { connectSlack } from '../../../src/slack/transport/connect-slack.ts';
import { aCall } from '../../support/builders/a-call.ts';
import { createTestDirectory } from '../../support/builders/a-directory.ts';
import { createMemoryDrafts } from '../../support/builders/memory-drafts.ts';
import { NO_ROUTES } from '../../support/builders/no-routes.ts';
import { NO_TOOLS } from '../../support/builders/no-tools.ts';
import { TEST_MARK } from '../../support/test-secret-mark.ts';
import { createFakeDesk, type FakeDesk } from './fake-desk.ts';

export type Delivery = 'http' | 'socket';

/** The real Slack adapter on the simulated workspace, with a fake desk behind it. */
export interface SlackStage {
  readonly workspace: Workspace;
  /** Where the app's HTTP server listens. */
  readonly url: string;
  readonly desk: FakeDesk;
  readonly chat: Chat;
  readonly places: Map<string, CardPlace>;
  readonly logged: string[];
  /** Typed form values that were not submitted, by id. */
  readonly drafts: Map<string, string>;
  /** A message of the requester's in #general, and a pending call in its thread. */
  callIn(patch?: Partial<Call>): Promise<Call>;
  /** Draws the call's card and makes it the call of the desk. */
  draw(call: Call): Promise<CardPlace>;
  message(place: CardPlace): WorkspaceMessage | undefined;
  close(): Promise<void>;
}

export const TOOL: Tool = {
  name: 'write_file',
  description: 'Writes a file.',
  schema: {
    type: 'object',
    properties: { path: { type: 'string' }, content: { type: 'string' } },
    required: ['path', 'content'],
  },
  schemaHash: 'a'.repeat(64),
  risk: 'medium',
  idempotent: false,
  secrets: [],
  parse: (value) => ({ ok: true, value, canonical: JSON.stringify(value) }),
  run: async () => 'done',
};

/** Starts it; the caller closes it. */
export async function setSlackStage(
  delivery: Delivery,
  more: {
    readonly tools?: readonly Tool[];
    readonly clock?: Clock;
    /** The app's own, if it differs from that of the workspace. */
    readonly appClock?: Clock;
    /** The form of app that the manifest declares. (Default: that of ours.) */
    readonly form?: AppForm;
    /** Who people are. (Default: everybody is a member.) */
    readonly directory?: Directory;
    readonly routes?: RouteControl;
    /** Prepares the workspace before the app connects. */
    readonly prepare?: (workspace: Workspace) => void;
    /** Makes the desk behind it, with the places of its cards. (Default: a fake desk.) */
    readonly deskOf?: (
      chat: Chat,
    ) => Promise<Pick<Parameters<typeof createSlackApp>[0], 'desk' | 'cardOf'>>;
  } = {},
): Promise<SlackStage> {
  const clock = more.clock ?? createSystemClock();
  const tools = [TOOL, ...(more.tools ?? [])];
  const workspace = await createWorkspace({ clock, ...(more.form && { form: more.form }) });
  more.prepare?.(workspace);
  const desk = createFakeDesk();
  const places = new Map<string, CardPlace>();
  const logged: string[] = [];
  const write = (fields: object, message: string) => {
    const { err } = fields as { err?: unknown };
    logged.push(`${message} ${JSON.stringify(fields)} ${err instanceof Error ? err.message : ''}`);
  };
  const log = { debug: () => {}, info: () => {}, warn: write, error: write };
  const toolbox = buildToolbox(tools, toExternalTool);
  const connection = await connectSlack({
    config: {
      botToken: workspace.botToken,
      apiUrl: workspace.apiUrl,
      clientPingTimeoutMs: 1_000,
      ...(delivery === 'socket'
        ? { appToken: workspace.appToken }
        : { signingSecret: workspace.signingSecret }),
    },
    log,
  });
  const chat = createSlackChat({ connection, toolbox, mark: TEST_MARK, log });
  const drafts = createMemoryDrafts();
  const cardOf = async (callId: string) => places.get(callId);
  const real = await more.deskOf?.(chat);
  const app = createSlackApp({
    routes: more.routes ?? NO_ROUTES,
    tools: NO_TOOLS,
    directory: more.directory ?? createTestDirectory(),
    connection,
    desk,
    toolbox,
    mark: TEST_MARK,
    cardOf,
    drafts,
    clock: more.appClock ?? clock,
    log,
    ...real,
  });
  const server = await createServer({
    host: '127.0.0.1',
    port: 0,
    clock,
    log,
    checks: { slack: app.check },
    ...(app.requestListener && { slackListener: app.requestListener }),
  });
  workspace.deliverTo(
    delivery === 'http' ? { kind: 'http', url: `${server.url}/slack/events` } : { kind: 'socket' },
  );
  await app.start();
  let calls = 0;

  return {
    workspace,
    url: server.url,
    desk,
    chat,
    places,
    logged,
    drafts: drafts.texts,
    async callIn(patch = {}) {
      const { id: channel } = workspace.channel('general');
      const { ts } = await workspace.say('requester', channel, `\${bot} write a.txt`);
      const team = workspace.team.id;
      calls += 1;
      return aCall({
        id: `call_${String(calls).padStart(22, '0')}`,
        thread: threadKey({ team, channel, ts }),
        requester: { team, user: workspace.member('requester').id },
        ...patch,
      });
    },
    async draw(call) {
      desk.call = call;
      const place = await chat.drawCard(call, places.get(call.id), { lookFirst: false });
      places.set(call.id, place);
      return place;
    },
    message: ({ channel, ts }) =>
      workspace
        .see('requester')
        .messages.find((each) => each.channel === channel && each.ts === ts),
    async close() {
      await app.stop();
      await server.close();
      await workspace.stop();
    },
  };
}
