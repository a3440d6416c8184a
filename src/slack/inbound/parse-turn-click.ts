/**
 * Parses clicks that name a turn, not a call. The button's value is the id of the turn's first
 * message, and optionally a word that says what the click means.
 */
import { type ThreadKey, threadKey } from '../../domain/threads/thread-key.ts';
import { SENTENCES } from '../text/outcome-sentences.ts';
import type { SlackIdentity } from '../transport/connect-slack.ts';
import { isPayload, listAt, objectAt, type Payload, textAt } from '../transport/payload.ts';
import { parseTurnToken } from '../transport/turn-token.ts';
import {
  explainForeignPayload,
  type InteractionOrigin,
  originOf,
  placeOfClick,
  type RejectedInteraction,
} from './parse-click.ts';
import { explainInvalidPress, type PayloadProblem, unknownElement } from './validate-payload.ts';

/** A click on one of our messages, in the thread of the turn that it names. */
export interface TurnClick {
  readonly origin: InteractionOrigin;
  readonly actionId: string;
  readonly thread: ThreadKey;
  /** Id of the turn’s first message. */
  readonly turn: string;
  /** The word after the turn’s id; may be empty. */
  readonly word: string;
}

/** Returns the action id of a payload, or an empty text. */
export function actionIdOf(body: unknown): string {
  const [action = {}] = isPayload(body) ? listAt(body, 'actions') : [];
  return textAt(action, 'action_id') ?? '';
}

/** Parses a click that names a turn. The desk checks whether the turn exists. */
export function parseTurnClick(
  body: unknown,
  identity: SlackIdentity,
): { readonly kind: 'turn-click'; readonly click: TurnClick } | RejectedInteraction {
  const payload = isPayload(body) ? body : {};
  const origin = originOf(payload, identity);
  const actionId = actionIdOf(payload);
  const [action = {}] = listAt(payload, 'actions');
  const value = textAt(action, 'value') ?? '';
  const token = parseTurnToken(value);
  const wrong =
    explainForeignPayload(payload, origin, identity) ??
    explainInvalidPress(payload) ??
    explainForeignMessage(payload, identity) ??
    (token === undefined
      ? unknownElement('no turn')
      : explainWrongThread(token.channel, origin, identity));
  if (wrong !== undefined || token === undefined) {
    return {
      kind: 'refused',
      origin,
      subject: actionId || 'click',
      ...(wrong ?? unknownElement('no turn')),
    };
  }
  const thread = threadOf(origin, payload, identity);
  const { turn, word } = token;
  return { kind: 'turn-click', click: { origin, actionId, thread, turn, word } };
}

function explainForeignMessage(
  payload: Payload,
  identity: SlackIdentity,
): PayloadProblem | undefined {
  if (placeOfClick(payload) === undefined) return unknownElement('no message');
  const isOurs = textAt(objectAt(payload, 'message'), 'bot_id') === identity.botId;
  return isOurs ? undefined : unknownElement('not a message of ours');
}

/** Refuses a value copied from another channel or workspace. */
function explainWrongThread(
  turnChannel: string,
  origin: InteractionOrigin,
  { team }: SlackIdentity,
) {
  if (turnChannel === `${team}/${origin.channel}`) return undefined;
  return { why: 'a turn of another channel', sentence: SENTENCES.notThatTurn };
}

function threadOf(origin: InteractionOrigin, payload: Payload, { team }: SlackIdentity): ThreadKey {
  const place = placeOfClick(payload);
  const ts = place?.ts ?? '';
  return threadKey({ team, channel: place?.channel ?? '', ts, threadTs: origin.root });
}
