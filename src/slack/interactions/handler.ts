import type { ModalView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import type { RouteControl } from '../../desk/control/routes.ts';
import type { ServerToolControl } from '../../desk/control/server-tools.ts';
import type { Desk } from '../../desk/desk.ts';
import type { CardPlace } from '../../domain/calls/call.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import type { Directory } from '../../domain/ports/directory.ts';
import type { Drafts } from '../../domain/ports/drafts.ts';
import type { Log } from '../../domain/ports/log.ts';
import type { SecretMark } from '../../domain/secrets/secret-mark.ts';
import type { Toolbox } from '../../domain/tools/tool.ts';
import type { AssistantPane } from '../assistant/create-assistant.ts';
import type { Home } from '../home/create-home.ts';
import type { InteractionOrigin } from '../inbound/interaction.ts';
import { buildNotice } from '../outbound/build-messages.ts';
import type { PrivateNotices } from '../outbound/private-notices.ts';
import type { UserGroup } from '../people/user-groups.ts';
import type { SlackIdentity } from '../transport/connect-slack.ts';

/** The dependencies of all handlers. */
export interface HandlerDeps {
  readonly client: WebClient;
  readonly identity: SlackIdentity;
  readonly desk: Desk;
  readonly directory: Directory;
  readonly toolbox: Toolbox;
  /** Marks masked secrets. */
  readonly mark: SecretMark;
  readonly privateNotices: PrivateNotices;
  readonly clock: Clock;
  readonly log: Log;
  /** Resolves with the place of a call’s current card. */
  readonly cardOf: (callId: string) => Promise<CardPlace | undefined>;
  /** What people typed on the form pages that are not shown. */
  readonly drafts: Drafts;
  /** The routes that admins set. */
  readonly routes: RouteControl;
  /** The tools of MCP servers. */
  readonly tools: ServerToolControl;
  /** Lists the user groups that people can choose. */
  readonly userGroups: () => Promise<readonly UserGroup[]>;
  readonly home: Home;
  readonly pane: AssistantPane;
}

/** The response to a submitted form: close it, show errors by block id, or show another view. */
export type FormAnswer =
  | undefined
  | { readonly response_action: 'errors'; readonly errors: Readonly<Record<string, string>> }
  | { readonly response_action: 'update'; readonly view: ModalView };

/** Acknowledges a click or form to Slack. Call it at most once. */
export type Acknowledge = (answer?: FormAnswer) => Promise<void>;

/** Handles a click or a submitted form. If it rejects before it acknowledges, the person is told that nothing was saved. */
export type Handler<T> = (interaction: T, ack: Acknowledge, deps: HandlerDeps) => Promise<void>;

/** Answers a person in their open form, else privately in the thread, else by direct message. */
export async function answerPerson(
  origin: InteractionOrigin,
  text: string,
  deps: Pick<HandlerDeps, 'client' | 'privateNotices'>,
  buildView: (text: string) => ModalView,
): Promise<void> {
  const { person, channel, root, viewId } = origin;
  if (viewId !== undefined) {
    await deps.client.views.update({ view_id: viewId, view: buildView(text) });
  } else if (channel === undefined) {
    await deps.privateNotices.tellDirectly(person.user, buildNotice(text));
  } else {
    await deps.privateNotices.tell({ user: person.user, channel, root, text });
  }
}
