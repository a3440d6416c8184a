/**
 * A click that names a turn and no call: its button's value is the id of the message that began the
 * turn, and a word for what is wanted where the button can mean several things.
 */
import { type ThreadKey, threadKey } from '../../domain/threads/thread-key.ts';
import { SENTENCES } from '../text/outcome-sentences.ts';
import type { SlackIdentity } from '../transport/connect-slack.ts';
import { isPayload, listAt, objectAt, type Payload, textAt } from '../transport/payload.ts';
import {
  explainForeignPayload,
  type InteractionOrigin,
  originOf,
  placeOfClick,
  type RejectedInteraction,
} from './parse-click.ts';
import { explainInvalidPress, type PayloadProblem, unknownElement } from './validate-payload.ts';

/** A click on a button of a message of ours, in the thread of the turn that it names. */
export interface TurnClick {
  readonly origin: InteractionOrigin;
  readonly actionId: string;
  readonly thread: ThreadKey;
  /** Id of the message that began the turn. */
  readonly turn: string;
  /** The word beside the turn's id; empty when there is none. */
  readonly word: string;
}

/** Writes a turn, and a word when one is needed, as the value of a button. */
export function encodeTurnToken(turn: string, word = ''): string {
  return word === '' ? turn : `${turn} ${word}`;
}

const TOKEN = /^([A-Z0-9]{2,40}\/[A-Z0-9]{2,40})\/[0-9]{1,16}\.[0-9]{1,10}(?: ([a-z]{1,20}))?$/;

/** Tells whether a text is what a button of a turn says. */
export function isTurnToken(text: string): boolean {
  return TOKEN.test(text);
}

/** Reads which button a payload says was pressed; empty when it says none. */
export function actionIdOf(body: unknown): string {
  const [action = {}] = isPayload(body) ? listAt(body, 'actions') : [];
  return textAt(action, 'action_id') ?? '';
}

/** Reads a click that names a turn; whether there is such a turn is the desk's question. */
export function parseTurnClick(
  body: unknown,
  identity: SlackIdentity,
): { readonly kind: 'turn-click'; readonly click: TurnClick } | RejectedInteraction {
  const payload = isPayload(body) ? body : {};
  const origin = originOf(payload, identity);
  const actionId = actionIdOf(payload);
  const [action = {}] = listAt(payload, 'actions');
  const value = textAt(action, 'value') ?? '';
  const [, home, word = ''] = TOKEN.exec(value) ?? [];
  const wrong =
    explainForeignPayload(payload, origin, identity) ??
    explainInvalidPress(payload) ??
    explainForeignMessage(payload, identity) ??
    (home === undefined ? unknownElement('no turn') : explainWrongThread(home, origin, identity));
  if (wrong !== undefined) {
    return { kind: 'refused', origin, subject: actionId || 'click', ...wrong };
  }
  const thread = threadOf(origin, payload, identity);
  const turn = word === '' ? value : value.slice(0, -word.length - 1);
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

/** A value that was copied from elsewhere names a turn of another channel or workspace. */
function explainWrongThread(home: string, origin: InteractionOrigin, { team }: SlackIdentity) {
  if (home === `${team}/${origin.channel}`) return undefined;
  return { why: 'a turn of another channel', sentence: SENTENCES.notThatTurn };
}

function threadOf(origin: InteractionOrigin, payload: Payload, { team }: SlackIdentity): ThreadKey {
  const place = placeOfClick(payload);
  const ts = place?.ts ?? '';
  return threadKey({ team, channel: place?.channel ?? '', ts, threadTs: origin.root });
}
