import { App, type Receiver, type ReceiverEvent } from '@slack/bolt';
import type { RouteControl } from '../desk/control/routes.ts';
import type { ServerToolControl } from '../desk/control/server-tools.ts';
import type { Desk } from '../desk/desk.ts';
import type { CardPlace } from '../domain/calls/call.ts';
import type { Person } from '../domain/people/person.ts';
import type { Clock } from '../domain/ports/clock.ts';
import type { Directory } from '../domain/ports/directory.ts';
import type { Log } from '../domain/ports/log.ts';
import type { Drafts } from '../domain/ports/store.ts';
import type { SecretMark } from '../domain/secrets/secret-mark.ts';
import type { Toolbox } from '../domain/tools/tool.ts';
import { createAssistantPane } from './assistant/create-assistant.ts';
import { createHome, type Home } from './home/create-home.ts';
import { createQuarantineSection } from './home/quarantine-section.ts';
import { createServerToolsSection } from './home/server-tools-section.ts';
import { createStoreBeforeAck } from './inbound/store-before-ack.ts';
import { registerListeners } from './interactions/listeners.ts';
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

/** The app in its workspace: what Slack tells comes in through it. */
export interface SlackApp extends Omit<SlackTransport, 'receiver'> {
  /** Something has changed that people may look at: their Homes follow. */
  readonly nudge: Home['nudge'];
}

/** Makes the app of a workspace: by Socket Mode with an app token, else by HTTP with the signing secret. */
export function createSlackApp(deps: {
  readonly connection: SlackConnection;
  readonly desk: Desk;
  readonly toolbox: Toolbox;
  readonly mark: SecretMark;
  /** Where a call's card stands now. */
  readonly cardOf: (callId: string) => Promise<CardPlace | undefined>;
  readonly drafts: Drafts;
  readonly routes: RouteControl;
  readonly tools: ServerToolControl;
  readonly directory: Directory;
  readonly clock: Clock;
  readonly log: Log;
}): SlackApp {
  const { connection, log } = deps;
  const { config, client, identity } = connection;
  const privateNotices = createPrivateNotices({ client, log });
  const gate = createStoreBeforeAck({ ...deps, identity, teller: privateNotices });
  const pane = createAssistantPane({ ...deps, client, identity });
  const appId = createAppIdCheck({ ...deps, client, identity });
  const checkToken = createTokenCheck({ client, clock: deps.clock });
  const userGroups = createUserGroups({ ...deps, client });
  const parts = [
    createQuarantineSection(deps),
    createServerToolsSection(deps),
    createRoutesSection({ ...deps, userGroups }),
  ];
  const adminPart = async (person: Person) =>
    (await Promise.all(parts.map((part) => part(person)))).flat();
  const home = createHome({ ...deps, client, adminPart });
  const underWay = new Set<Promise<void>>();
  const { receiver, ...line } = openLine(deps);

  const bolt = new App({
    receiver: putBehind(receiver, async (event, pass) => {
      const first = await gate(event);
      await pass(event);
      if (first !== undefined) await pane.entitle(first);
    }),
    // Bolt's own way asks Slack who we are, and drops clicks while Slack does not answer.
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
  pane.register(bolt);
  registerListeners(bolt, { ...deps, client, identity, teller: privateNotices, userGroups, home });

  /** The one seam before Bolt's acknowledgement that both ways in have. */
  function putBehind(
    inner: Receiver,
    step: (event: ReceiverEvent, pass: (event: ReceiverEvent) => Promise<void>) => Promise<void>,
  ): Receiver {
    const init = (app: App): void => {
      // What listeners throw goes elsewhere: this is Bolt reading what is not there.
      const pass = (event: ReceiverEvent) =>
        app.processEvent(event).catch((cause: unknown) => {
          throw new MalformedPayloadError('Bolt could not read what Slack is said to have sent.', {
            cause,
          });
        });
      const processEvent = (event: ReceiverEvent) => track(step(event, pass));
      inner.init(
        new Proxy(app, {
          get: (target, key) =>
            key === 'processEvent' ? processEvent : Reflect.get(target, key, target),
        }),
      );
    };
    return { init, start: () => inner.start(), stop: () => inner.stop() };
  }

  function track(work: Promise<void>): Promise<void> {
    underWay.add(work);
    const done = () => underWay.delete(work);
    work.then(done, done);
    return work;
  }

  return {
    ...line,
    nudge: home.nudge,
    async start() {
      appId.start();
      await line.start();
    },
    async check() {
      appId.check();
      await line.check();
      await checkToken();
    },
    async stop() {
      appId.stop();
      await line.stop();
      await Promise.allSettled([...underWay, home.stop()]);
    },
  };
}

function openLine(deps: {
  readonly connection: SlackConnection;
  readonly clock: Clock;
  readonly log: Log;
}): SlackTransport {
  const { appToken, signingSecret } = deps.connection.config;
  if (appToken !== undefined) return createSlackSocketTransport({ ...deps, appToken });
  if (signingSecret !== undefined) return createSlackHttpTransport({ ...deps, signingSecret });
  throw new Error(
    'Slack has no way in: set SLACK_APP_TOKEN for Socket Mode, or SLACK_SIGNING_SECRET for HTTP.',
  );
}
