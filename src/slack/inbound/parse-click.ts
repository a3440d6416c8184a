/** Parses and validates clicks. The desk decides whether the person may act. */
import type { KnownBlock, ModalView } from '@slack/types';
import { type CardToken, parseCardToken, parseCardTokens } from '../../domain/calls/digest.ts';
import { threadKey } from '../../domain/threads/thread-key.ts';
import { parseHomeAction } from '../home/home-action.ts';
import { parseHomeState } from '../home/home-state.ts';
import { parseRouteFormMetadata } from '../routes/form/route-form-metadata.ts';
import { parseRouteToken, ROUTE_VIEWS } from '../routes/route-ids.ts';
import { SENTENCES } from '../text/outcome-sentences.ts';
import type { SlackIdentity } from '../transport/connect-slack.ts';
import { ACTIONS } from '../transport/ids.ts';
import { listAt, objectAt, type Payload, textAt } from '../transport/payload.ts';
import { parseTurnToken } from '../transport/turn-token.ts';
import { elementOf } from './elements.ts';
import type {
  AnyClick,
  Click,
  ClickBase,
  HomeClick,
  PayloadProblem,
  RejectedInteraction,
  RouteClick,
  RouteFormClick,
  TurnClick,
} from './interaction.ts';
import { originOf, placeOfClick, valuesOf } from './payload-parts.ts';
import {
  explainForeignPayload,
  explainInvalidClick,
  readCallMetadata,
  unknownElement,
} from './validate-payload.ts';

/** The parts of a valid click’s payload. */
interface Parts {
  readonly base: ClickBase;
  readonly payload: Payload;
  readonly action: Payload;
  /** The button’s value, or that of the selected option. */
  readonly value: string;
  readonly view: Payload;
  readonly identity: SlackIdentity;
}

const READERS: {
  readonly [K in AnyClick['kind']]: (
    parts: Parts,
  ) => Extract<AnyClick, { readonly kind: K }> | PayloadProblem;
} = {
  click: readCallClick,
  'turn-click': readTurnClick,
  'home-click': readHomeClick,
  'routes-click': ({ base, view }) => ({ ...base, kind: 'routes-click', from: listOf(view) }),
  'route-click': readRouteClick,
  'route-form-click': readRouteFormClick,
};

/** Parses and validates a click, except whether it came from the call’s current card. */
export function parseClick(
  payload: Payload,
  identity: SlackIdentity,
): AnyClick | RejectedInteraction {
  const origin = originOf(payload, identity);
  const [action = {}] = listAt(payload, 'actions');
  const id = textAt(action, 'action_id') ?? '';
  const wrong = explainForeignPayload(payload, origin, identity) ?? explainInvalidClick(payload);
  const element = elementOf(id);
  const base = { origin, id, triggerId: textAt(payload, 'trigger_id') ?? '' };
  const view = objectAt(payload, 'view');
  const read =
    wrong === undefined && element !== undefined
      ? READERS[element.kind]({ base, payload, action, value: valueIn(action), view, identity })
      : (wrong ?? unknownElement('unknown action'));
  return 'why' in read ? { kind: 'refused', origin, subject: id || 'click', ...read } : read;
}

/** Elements of which Slack sends the selected option instead of a value. */
const SELECTS: ReadonlySet<unknown> = new Set(['static_select', 'overflow']);

function valueIn(action: Payload): string {
  const option = SELECTS.has(action.type) ? objectAt(action, 'selected_option') : action;
  return textAt(option, 'value') ?? '';
}

function readCallClick({
  base,
  payload,
  action,
  value,
  view,
  identity,
}: Parts): Click | PayloadProblem {
  const inView = base.origin.viewId !== undefined;
  const place = inView ? undefined : placeOfClick(payload);
  if (!inView && place === undefined) return unknownElement('no message');
  // In a form the view names the call, and the button only a detail.
  const named = inView
    ? { ...readCallMetadata(view), detail: value }
    : readCardValue(base.id, value);
  const tokens = tokensIn(named.token ?? '', base.id);
  const [token] = tokens;
  if (token === undefined) return unknownElement('no card token');
  return {
    ...base,
    kind: 'click',
    token,
    tokens,
    place,
    isOwnMessage: isOnOwnMessage(payload, identity),
    detail: named.detail,
    blockId: textAt(action, 'block_id') ?? '',
    metadata: named.metadata ?? '',
    values: valuesOf(view),
  };
}

function tokensIn(text: string, id: string): readonly CardToken[] {
  if (id === ACTIONS.approveAll) return parseCardTokens(text) ?? [];
  const token = parseCardToken(text);
  return token ? [token] : [];
}

const CHOICE = new RegExp(`^${ACTIONS.choose.replace('.', '\\.')}-([0-9])$`);

/** Selects on a card, whose options hold a token and a detail. */
const MENUS: ReadonlySet<string> = new Set([ACTIONS.choose, ACTIONS.menu]);

/** Reads the token of an element on a card, and the index of the chosen answer (from the action id or the option). */
function readCardValue(id: string, value: string) {
  if (!MENUS.has(id)) return { token: value, detail: CHOICE.exec(id)?.[1] ?? '', metadata: '' };
  const [token = '', detail = ''] = value.split(' ');
  return { token, detail, metadata: '' };
}

function readTurnClick({ base, payload, value, identity }: Parts): TurnClick | PayloadProblem {
  const place = placeOfClick(payload);
  if (place === undefined) return unknownElement('no message');
  if (!isOnOwnMessage(payload, identity)) return unknownElement('not a message of ours');
  const token = parseTurnToken(value);
  if (token === undefined) return unknownElement('no turn');
  const { team } = identity;
  // The value may be copied from another channel or workspace.
  if (token.channel !== `${team}/${place.channel}`) {
    return { why: 'a turn of another channel', sentence: SENTENCES.notThatTurn };
  }
  const thread = threadKey({ team, ...place, threadTs: base.origin.root });
  return { ...base, kind: 'turn-click', thread, turn: token.turn, word: token.word };
}

function isOnOwnMessage(payload: Payload, { botId }: SlackIdentity): boolean {
  return textAt(objectAt(payload, 'message'), 'bot_id') === botId;
}

function readHomeClick({ base, value, view }: Parts): HomeClick | PayloadProblem {
  const state = parseHomeState(textAt(view, 'private_metadata') ?? '');
  const action = parseHomeAction(base.id, value, state);
  if (action === undefined) return unknownElement('unknown action on Home');
  return { ...base, kind: 'home-click', state, action };
}

function listOf(view: Payload): 'list' | 'home' {
  return view.type === 'home' ? 'home' : 'list';
}

function readRouteClick({ base, value, view }: Parts): RouteClick | PayloadProblem {
  const token = parseRouteToken(value);
  if (token === undefined) return unknownElement('no route');
  return { ...base, kind: 'route-click', from: listOf(view), ...token };
}

function readRouteFormClick({ base, action, view }: Parts): RouteFormClick | PayloadProblem {
  const metadata = textAt(view, 'private_metadata') ?? '';
  const meta = parseRouteFormMetadata(metadata);
  if (meta === undefined) return unknownElement('no route');
  return {
    ...base,
    kind: 'route-form-click',
    viewId: textAt(view, 'id') ?? '',
    hash: textAt(view, 'hash'),
    channel: textAt(action, 'selected_conversation'),
    meta,
    values: valuesOf(view),
    view: toModal(view, metadata),
  };
}

/** Returns the view of a click as one that can be sent back to Slack. */
function toModal(view: Payload, metadata: string): RouteFormClick['view'] {
  return {
    type: 'modal',
    callback_id: ROUTE_VIEWS.form,
    private_metadata: metadata,
    title: objectAt(view, 'title') as unknown as ModalView['title'],
    submit: objectAt(view, 'submit') as unknown as ModalView['title'],
    close: objectAt(view, 'close') as unknown as ModalView['title'],
    blocks: listAt(view, 'blocks') as unknown as KnownBlock[],
  };
}
