import { App, type Receiver, type ReceiverEvent } from '@slack/bolt';
import type { RouteControl } from '../desk/control/routes.ts';
import type { ServerToolControl } from '../desk/control/server-tools.ts';
import type { Desk } from '../desk/desk.ts';
import type { CardPlace } from '../domain/calls/call.ts';
import type { Person } from '../domain/people/person.ts';
import type { Clock } from '../domain/ports/clock.ts';
import type { Directory } from '../domain/ports/directory.ts';
import type { Drafts } from '../domain/ports/drafts.ts';
import type { Log } from '../domain/ports/log.ts';
import type { SecretMark } from '../domain/secrets/secret-mark.ts';
import type { Toolbox } from '../domain/tools/tool.ts';
import { createAssistantPane } from './assistant/create-assistant.ts';
import { createHome, type Home } from './home/create-home.ts';
import { createQuarantineSection } from './home/quarantine-section.ts';
import { createServerToolsSection } from './home/server-tools-section.ts';
import { type Inbound, parseInbound } from './inbound/parse-inbound.ts';
import { createStoreBeforeAck } from './inbound/store-before-ack.ts';
import { type Delivery, handleInbound } from './interactions/handle-inbound.ts';
import { createPrivateNotices } from './outbound/private-notices.ts';
import { createUserGroups } from './people/user-groups.ts';
import { createRoutesSection } from './routes/routes-section.ts';
import { createAppIdCheck } from './transport/app-id-check.ts';
import { clientOptions, type SlackConnection } from './transport/connect-slack.ts';
import { createSlackHttpTransport } from './transport/http-transport.ts';
import { MalformedPayloadError } from './transport/malformed-payload-error.ts';
import { createSlackLogger } from './transport/slack-logger.ts';
import type { SlackTransport } from './transport/slack-transport.ts';
import { createSlackSocketTransport } from './transport/socket-transport.ts';
import { createTokenCheck } from './transport/token-check.ts';

/** What Bolt hands over with a payload; `ack` is missing for events. */
interface Delivered {
  readonly ack?: Delivery['ack'];
  readonly respond: Delivery['respond'];
  readonly context: { readonly inbound: Inbound; readonly retryNum?: number };
}

/** The running Slack app of one workspace. Slack’s events, clicks and commands arrive through it. */
export interface SlackApp extends Omit<SlackTransport, 'receiver'> {
  /** Refreshes open Home tabs after stored data has changed. */
  readonly nudge: Home['nudge'];
}

/** Creates the app of a workspace. It uses Socket Mode if there is an app token, else HTTP. */
export function createSlackApp(deps: {
  readonly connection: SlackConnection;
  readonly desk: Desk;
  readonly toolbox: Toolbox;
  readonly mark: SecretMark;
  /** Resolves with the place of a call’s current card. */
  readonly cardOf: (callId: string) => Promise<CardPlace | undefined>;
  readonly drafts: Drafts;
  readonly routes: RouteControl;
  readonly tools: ServerToolControl;
  readonly directory: Directory;
  readonly clock: Clock;
  readonly log: Log;
}): SlackApp {
  const { connection, log } = deps;
  const { client, identity } = connection;
  const privateNotices = createPrivateNotices({ client, log });
  const storeBeforeAck = createStoreBeforeAck({ ...deps, privateNotices });
  const pane = createAssistantPane({ ...deps, client, identity });
  const appId = createAppIdCheck({ ...deps, client, identity });
  const checkToken = createTokenCheck({ client, clock: deps.clock });
  const userGroups = createUserGroups({ ...deps, client });
  const adminSections = [
    createQuarantineSection(deps),
    createServerToolsSection(deps),
    createRoutesSection({ ...deps, userGroups }),
  ];
  const adminPart = async (person: Person) =>
    (await Promise.all(adminSections.map((section) => section(person)))).flat();
  const home = createHome({ ...deps, client, adminPart });
  const inFlight = new Set<Promise<void>>();
  const { receiver, ...transport } = createTransport(deps);

  const handlerDeps = { ...deps, client, identity, privateNotices, userGroups, home, pane };
  const bolt = createBolt(
    connection,
    runBefore(receiver, (event, pass) => track(receive(event, pass))),
    log,
  );
  // One middleware for all payloads: Bolt’s own listeners would parse them once more.
  bolt.use(async (delivered) => {
    const { ack = async () => {}, context, respond } = delivered as unknown as Delivered;
    const isRetry = (context.retryNum ?? 0) > 0;
    await handleInbound(context.inbound, { ack, respond, isRetry }, handlerDeps);
  });

  /** Stores a message before Bolt acknowledges its event. */
  async function receive(event: ReceiverEvent, pass: Pass): Promise<void> {
    const inbound = parseInbound(event.body, { identity, now: deps.clock.now() });
    const first =
      inbound.kind === 'message' ? await storeBeforeAck(inbound, event.retryNum) : undefined;
    await pass({ ...event, customProperties: { ...event.customProperties, inbound } });
    if (first !== undefined) await pane.setChatTitle(first);
  }

  function track(work: Promise<void>): Promise<void> {
    inFlight.add(work);
    const done = () => inFlight.delete(work);
    work.then(done, done);
    return work;
  }

  return {
    ...transport,
    nudge: home.nudge,
    async start() {
      appId.start();
      await transport.start();
    },
    async check() {
      appId.check();
      await transport.check();
      await checkToken();
    },
    async stop() {
      appId.stop();
      await transport.stop();
      await Promise.allSettled([...inFlight, home.stop()]);
    },
  };
}

function createBolt({ config, identity }: SlackConnection, receiver: Receiver, log: Log): App {
  const bolt = new App({
    receiver,
    // Bolt’s default asks Slack for the identity and drops clicks while Slack does not respond.
    authorize: async () => ({
      botToken: config.botToken,
      botId: identity.botId,
      botUserId: identity.botUserId,
      teamId: identity.team,
    }),
    logger: createSlackLogger(log),
    clientOptions: clientOptions(config, log),
    convoStore: false,
    ignoreSelf: false,
  });
  bolt.error(async (error) => log.error({ err: error }, 'Bolt could not handle an event.'));
  return bolt;
}

type Pass = (event: ReceiverEvent) => Promise<void>;

/** Runs `step` before Bolt acknowledges an event, for both HTTP and Socket Mode. */
function runBefore(
  inner: Receiver,
  step: (event: ReceiverEvent, pass: Pass) => Promise<void>,
): Receiver {
  const init = (app: App): void => {
    // Errors of handlers go to `bolt.error`. A throw here means that Bolt could not parse the body.
    const pass: Pass = (event) =>
      app.processEvent(event).catch((cause: unknown) => {
        throw new MalformedPayloadError('Bolt could not parse the payload.', { cause });
      });
    const processEvent = (event: ReceiverEvent) => step(event, pass);
    inner.init(
      new Proxy(app, {
        get: (target, key) =>
          key === 'processEvent' ? processEvent : Reflect.get(target, key, target),
      }),
    );
  };
  return { init, start: () => inner.start(), stop: () => inner.stop() };
}

function createTransport(deps: {
  readonly connection: SlackConnection;
  readonly clock: Clock;
  readonly log: Log;
}): SlackTransport {
  const { appToken, signingSecret } = deps.connection.config;
  if (appToken !== undefined) return createSlackSocketTransport({ ...deps, appToken });
  if (signingSecret !== undefined) return createSlackHttpTransport({ ...deps, signingSecret });
  throw new Error(
    'Slack can’t reach the app. Set SLACK_APP_TOKEN for Socket Mode, or SLACK_SIGNING_SECRET for HTTP.',
  );
}
