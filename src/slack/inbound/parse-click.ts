/** Parses and validates clicks and submitted forms. The desk decides whether the person may act. */
import type { CardPlace } from '../../domain/calls/call.ts';
import { type CardToken, parseCardToken, parseCardTokens } from '../../domain/calls/digest.ts';
import type { Person } from '../../domain/people/person.ts';
import type { SlackIdentity } from '../transport/connect-slack.ts';
import { ACTIONS, VIEWS } from '../transport/ids.ts';
import { isPayload, listAt, objectAt, type Payload, textAt } from '../transport/payload.ts';
import {
  actingTeamOf,
  explainInvalidForm,
  explainInvalidPress,
  explainWrongInstallation,
  OTHER_WORKSPACE,
  type PayloadProblem,
  readCallMetadata,
  unknownElement,
} from './validate-payload.ts';

/** Where to answer a person. `viewId` is set if they have a form open. */
export interface InteractionOrigin {
  readonly person: Person;
  readonly channel: string | undefined;
  readonly root: string | undefined;
  readonly viewId: string | undefined;
}

/** A click on one of our buttons. */
export interface Click {
  readonly origin: InteractionOrigin;
  readonly actionId: string;
  readonly token: CardToken;
  /** All attempts that the button names, `token` first; only *Approve all* names several. */
  readonly tokens: readonly CardToken[];
  readonly triggerId: string;
  /** The message of the button; undefined in a form. */
  readonly place: CardPlace | undefined;
  /** Whether the app posted the message, according to Slack. */
  readonly isOwnMessage: boolean;
  /** The button’s value besides the token, such as a page or an answer’s index. */
  readonly detail: string;
  readonly blockId: string;
  /** The view’s metadata besides the token; empty outside a view. */
  readonly form: string;
  /** Slack's `view.state.values`; empty outside a view. */
  readonly values: Payload;
}

/** A submitted form of ours. */
export interface Submission {
  readonly origin: InteractionOrigin;
  readonly viewId: string;
  readonly callbackId: string;
  readonly token: CardToken;
  /** The view’s metadata besides the token. */
  readonly form: string;
  /** Slack's `view.state.values`. */
  readonly values: Payload;
}

/** Why a click or form was refused, and where to tell the person. */
export interface RejectedInteraction extends PayloadProblem {
  readonly kind: 'refused';
  readonly origin: InteractionOrigin;
  readonly subject: string;
}

const KNOWN_VIEWS: ReadonlySet<string> = new Set([VIEWS.edit, VIEWS.reply, VIEWS.reason]);

/** Parses and validates a click, except whether it came from the call’s current card. */
export function parseClick(
  body: unknown,
  identity: SlackIdentity,
): { readonly kind: 'click'; readonly click: Click } | RejectedInteraction {
  const payload = isPayload(body) ? body : {};
  const origin = originOf(payload, identity);
  const actions = listAt(payload, 'actions');
  const [action = {}] = actions;
  const { actionId = '', value = '' } = textsOf(action);
  const inView = origin.viewId !== undefined;
  const [tokenOnButton, detail] = inView ? ['', value] : tokenAndDetail(actionId, value, action);
  const metadata = inView
    ? readCallMetadata(objectAt(payload, 'view'))
    : { token: tokenOnButton, form: '' };
  const { token: tokenText = '', form = '' } = metadata ?? {};
  const tokens = tokensIn(tokenText, actionId);
  const [token] = tokens;
  const place = inView ? undefined : placeOfClick(payload);
  const wrong =
    explainForeignPayload(payload, origin, identity) ??
    explainInvalidPress(payload) ??
    explainWrongPlace(inView, place);
  if (wrong !== undefined || token === undefined) {
    const refusal = wrong ?? unknownElement('no card token');
    return { kind: 'refused', origin, subject: actionId || 'click', ...refusal };
  }
  const triggerId = textAt(payload, 'trigger_id') ?? '';
  const isOwnMessage = textAt(objectAt(payload, 'message'), 'bot_id') === identity.botId;
  const values = valuesOf(objectAt(payload, 'view'));
  const blockId = textAt(action, 'block_id') ?? '';
  return {
    kind: 'click',
    click: {
      origin,
      actionId,
      token,
      tokens,
      triggerId,
      place,
      isOwnMessage,
      detail,
      blockId,
      form,
      values,
    },
  };
}

function tokensIn(text: string, actionId: string): readonly CardToken[] {
  if (actionId === ACTIONS.approveAll) return parseCardTokens(text) ?? [];
  const token = parseCardToken(text);
  return token ? [token] : [];
}

const CHOICE = new RegExp(`^${ACTIONS.choose.replace('.', '\\.')}-([0-9])$`);

/** Elements whose value is that of the selected option. */
const MENUS: ReadonlySet<string> = new Set([ACTIONS.choose, ACTIONS.menu]);

/** Returns the token of an element on a card, and the index of the chosen answer (from the action id or the option). */
function tokenAndDetail(actionId: string, value: string, action: Payload): [string, string] {
  if (!MENUS.has(actionId)) return [value, CHOICE.exec(actionId)?.[1] ?? ''];
  const chosen = textAt(objectAt(action, 'selected_option'), 'value') ?? '';
  const [token = '', place = ''] = chosen.split(' ');
  return [token, place];
}

function textsOf(action: Payload): { readonly actionId?: string; readonly value?: string } {
  const actionId = textAt(action, 'action_id');
  const value = textAt(action, 'value');
  return {
    ...(actionId !== undefined && { actionId }),
    ...(value !== undefined && { value }),
  };
}

function explainWrongPlace(
  inView: boolean,
  place: CardPlace | undefined,
): PayloadProblem | undefined {
  return inView || place !== undefined ? undefined : unknownElement('no message');
}

/** Returns the place of the message whose button was clicked. */
export function placeOfClick(payload: Payload): CardPlace | undefined {
  const container = objectAt(payload, 'container');
  const channel = textAt(container, 'channel_id');
  const ts = textAt(container, 'message_ts');
  return channel === undefined || ts === undefined ? undefined : { channel, ts };
}

/** Parses and validates a submitted form. */
export function parseSubmission(
  body: unknown,
  identity: SlackIdentity,
  type: 'view_submission' | 'block_suggestion' = 'view_submission',
): { readonly kind: 'submission'; readonly submission: Submission } | RejectedInteraction {
  const payload = isPayload(body) ? body : {};
  const origin = originOf(payload, identity);
  const view = objectAt(payload, 'view');
  const callbackId = textAt(view, 'callback_id') ?? '';
  const rejectInteraction = (wrong: PayloadProblem): RejectedInteraction => {
    return { kind: 'refused', origin, subject: callbackId || 'form', ...wrong };
  };
  const wrong =
    explainForeignPayload(payload, origin, identity) ??
    explainInvalidForm(payload, type, KNOWN_VIEWS);
  if (wrong !== undefined) return rejectInteraction(wrong);
  const { token: tokenText = '', form = '' } = readCallMetadata(view) ?? {};
  const token = parseCardToken(tokenText);
  if (token === undefined) return rejectInteraction(unknownElement('no card token'));
  const viewId = textAt(view, 'id') ?? '';
  const values = valuesOf(view);
  return { kind: 'submission', submission: { origin, viewId, callbackId, token, form, values } };
}

function valuesOf(view: Payload): Payload {
  return objectAt(objectAt(view, 'state'), 'values');
}

/** A request from Slack for the options of a select that a person searches. */
export interface ChoicesQuery extends Submission {
  readonly blockId: string;
  readonly typed: string;
}

/** Parses a request for options; refuses it for the same reasons as a submission of the form. */
export function parseChoicesQuery(
  body: unknown,
  identity: SlackIdentity,
): { readonly kind: 'question'; readonly question: ChoicesQuery } | RejectedInteraction {
  const parsed = parseSubmission(body, identity, 'block_suggestion');
  if (parsed.kind === 'refused') return parsed;
  const payload = isPayload(body) ? body : {};
  const blockId = textAt(payload, 'block_id') ?? '';
  const typed = textAt(payload, 'value') ?? '';
  return { kind: 'question', question: { ...parsed.submission, blockId, typed } };
}

/** Returns whether a click came from the current card; while its place is unknown, from any message of ours. */
export function isFromCurrentCard(click: Click, card: CardPlace | undefined): boolean {
  if (click.place === undefined) return click.origin.viewId !== undefined;
  if (card === undefined) return click.isOwnMessage;
  return card.channel === click.place.channel && card.ts === click.place.ts;
}

/** Returns why a payload is not for this app or not from its workspace; undefined if it is. */
export function explainForeignPayload(
  payload: Payload,
  { person }: InteractionOrigin,
  identity: SlackIdentity,
): PayloadProblem | undefined {
  const wrong = explainWrongInstallation(payload, identity);
  if (wrong !== undefined) return wrong;
  if (person.user === '') return unknownElement('nobody');
  return person.team === identity.team ? undefined : OTHER_WORKSPACE;
}

/** Returns who clicked, and where to answer them. */
export function originOf(body: unknown, identity: SlackIdentity): InteractionOrigin {
  const payload = isPayload(body) ? body : {};
  const user = objectAt(payload, 'user');
  const team = textAt(user, 'team_id') ?? textAt(objectAt(payload, 'team'), 'id') ?? identity.team;
  const container = objectAt(payload, 'container');
  const message = objectAt(payload, 'message');
  const view = objectAt(payload, 'view');
  return {
    person: { team: actingTeamOf(team, identity), user: textAt(user, 'id') ?? '' },
    channel: textAt(container, 'channel_id'),
    root: textAt(container, 'thread_ts') ?? textAt(message, 'thread_ts'),
    // Home is not a form: an answer shown there would replace the whole tab.
    viewId: textAt(view, 'type') === 'home' ? undefined : textAt(view, 'id'),
  };
}
