/** What people do with the app’s buttons and forms, as parsed from Slack’s payloads. */
import type { KnownBlock, ModalView } from '@slack/types';
import type { CardPlace } from '../../domain/calls/call.ts';
import type { CardToken } from '../../domain/calls/digest.ts';
import type { Person } from '../../domain/people/person.ts';
import type { ThreadKey } from '../../domain/threads/thread-key.ts';
import type { HomeAction } from '../home/home-action.ts';
import type { HomeState } from '../home/home-state.ts';
import type { RouteFormMetadata } from '../routes/form/route-form-metadata.ts';
import type { Payload } from '../transport/payload.ts';

/** Where to answer a person. `viewId` is set if they have a form open. */
export interface InteractionOrigin {
  readonly person: Person;
  readonly channel: string | undefined;
  readonly root: string | undefined;
  readonly viewId: string | undefined;
}

interface InteractionBase {
  readonly origin: InteractionOrigin;
  /** The action id of a button, or the callback id of a form. */
  readonly id: string;
}

/** The parts that all clicks have. */
export interface ClickBase extends InteractionBase {
  /** Lets the app open a form within three seconds. */
  readonly triggerId: string;
}

/** A click that is about a call, on a card or in a form. */
export interface Click extends ClickBase {
  readonly kind: 'click';
  readonly token: CardToken;
  /** All attempts that the button names, `token` first; only *Approve All* names several. */
  readonly tokens: readonly CardToken[];
  /** The message of the button; undefined in a form. */
  readonly place: CardPlace | undefined;
  /** Whether the app posted the message, according to Slack. */
  readonly isOwnMessage: boolean;
  /** The button’s value besides the token, such as a page or an answer’s index. */
  readonly detail: string;
  readonly blockId: string;
  /** The view’s metadata besides the token; empty outside a view. */
  readonly metadata: string;
  /** Slack's `view.state.values`; empty outside a view. */
  readonly values: Payload;
}

/** A click on one of our messages that is about a turn, in the turn’s thread. */
export interface TurnClick extends ClickBase {
  readonly kind: 'turn-click';
  readonly thread: ThreadKey;
  /** Id of the turn’s first message. */
  readonly turn: string;
  /** The word after the turn’s id; may be empty. */
  readonly word: string;
}

/** A click on a person's Home. */
export interface HomeClick extends ClickBase {
  readonly kind: 'home-click';
  /** The pages and filters that were shown. */
  readonly state: HomeState;
  readonly action: HomeAction;
}

/** A click on the list of routes, on Home or in its own view. */
export interface RoutesClick extends ClickBase {
  readonly kind: 'routes-click';
  readonly from: 'list' | 'home';
}

/** A click on one route of the list. */
export interface RouteClick extends ClickBase {
  readonly kind: 'route-click';
  readonly from: 'list' | 'home';
  readonly name: string;
  /** The revision that was shown. */
  readonly revision: number;
}

/** The state of the form of a route. */
export interface RouteFormState {
  readonly meta: RouteFormMetadata;
  /** Slack's `view.state.values`. */
  readonly values: Payload;
}

/** A click in the form of a route. */
export interface RouteFormClick extends ClickBase, RouteFormState {
  readonly kind: 'route-form-click';
  readonly viewId: string;
  /** Slack’s hash of the view, against overwriting a newer one. */
  readonly hash: string | undefined;
  /** The channel that was selected. */
  readonly channel: string | undefined;
  /** The view as it was shown. */
  readonly view: ModalView & { readonly blocks: KnownBlock[] };
}

/** A click, by what it is about. */
export type AnyClick = Click | TurnClick | HomeClick | RoutesClick | RouteClick | RouteFormClick;

/** A submitted form that is about a call. */
export interface Submission extends InteractionBase {
  readonly kind: 'submission';
  readonly token: CardToken;
  /** The view’s metadata besides the token. */
  readonly metadata: string;
  /** Slack's `view.state.values`. */
  readonly values: Payload;
}

/** A submitted form of a route. */
export interface RouteSubmission extends InteractionBase, RouteFormState {
  readonly kind: 'route-submission';
  /** The block ids of the inputs that were shown. */
  readonly inputs: readonly string[];
  /** The list below the form. */
  readonly previousViewId: string | undefined;
}

/** A click or a submitted form. */
export type Interaction = AnyClick | Submission | RouteSubmission;

/** Why a payload was refused: `why` for the audit, `sentence` for the person. */
export interface PayloadProblem {
  readonly why: string;
  readonly sentence: string;
  /** It may work in a minute, so a form stays open with what was typed. */
  readonly isTemporary?: true;
}

/** Why a click or form was refused, and where to tell the person. */
export interface RejectedInteraction extends PayloadProblem {
  readonly kind: 'refused';
  readonly origin: InteractionOrigin;
  readonly subject: string;
  /** Set if it was a submitted form, with the inputs that it showed. */
  readonly inputs?: readonly string[];
}

/** A request for the options of a select that a person searches, in the form of a call. */
export interface ChoicesQuery extends Omit<Submission, 'kind'> {
  readonly kind: 'choices-query';
  readonly blockId: string;
  readonly typed: string;
}

/** A request for the user groups that a person searches, in the form of a route. */
export interface GroupsQuery extends InteractionBase {
  readonly kind: 'groups-query';
  readonly typed: string;
}

/** Returns whether a click came from the current card; while its place is unknown, from any message of ours. */
export function isFromCurrentCard(click: Click, card: CardPlace | undefined): boolean {
  if (click.place === undefined) return click.origin.viewId !== undefined;
  if (card === undefined) return click.isOwnMessage;
  return card.channel === click.place.channel && card.ts === click.place.ts;
}
