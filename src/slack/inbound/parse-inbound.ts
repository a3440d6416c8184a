/** Turns any payload of Slack into one of a few types. Nothing after this reads a raw payload. */
import type { SlackIdentity } from '../transport/connect-slack.ts';
import { isPayload, objectAt, type Payload } from '../transport/payload.ts';
import type { ChoicesQuery, GroupsQuery, Interaction, RejectedInteraction } from './interaction.ts';
import { parseClick } from './parse-click.ts';
import { type ParsedCommand, parseCommand } from './parse-command.ts';
import { type Lifecycle, parseLifecycle } from './parse-event.ts';
import { parseForm, parseOptionsQuery } from './parse-form.ts';
import { type ParsedMessage, parseMessage } from './parse-message.ts';
import { originOf } from './payload-parts.ts';
import { explainForeignPayload, unknownElement } from './validate-payload.ts';

/** A message, with what its event says beside the message. */
export interface InboundMessage {
  readonly kind: 'message';
  readonly parsed: ParsedMessage;
  readonly isMention: boolean;
  readonly isDirect: boolean;
}

/** A payload of Slack. */
export type Inbound =
  | InboundMessage
  | { readonly kind: 'lifecycle'; readonly event: Lifecycle }
  | { readonly kind: 'interaction'; readonly parsed: Interaction | RejectedInteraction }
  | { readonly kind: 'options'; readonly query: ChoicesQuery | GroupsQuery | RejectedInteraction }
  | { readonly kind: 'command'; readonly command: ParsedCommand }
  | { readonly kind: 'ignored' };

/** Parses a payload. It tells the kinds apart in the order in which Bolt does. */
export function parseInbound(
  body: unknown,
  facts: { readonly identity: SlackIdentity; readonly now: number },
): Inbound {
  const payload = isPayload(body) ? body : {};
  const { identity } = facts;
  if (payload.event !== undefined) return parseEvent(payload, facts);
  if (payload.command !== undefined) {
    return { kind: 'command', command: parseCommand(payload, identity) };
  }
  if (payload.name !== undefined || payload.type === 'block_suggestion') {
    return { kind: 'options', query: parseOptionsQuery(payload, identity) };
  }
  const parsed = parseInteraction(payload, identity);
  return parsed === undefined ? { kind: 'ignored' } : { kind: 'interaction', parsed };
}

function parseEvent(payload: Payload, facts: Parameters<typeof parseInbound>[1]): Inbound {
  const { type, channel_type: channelType } = objectAt(payload, 'event');
  if (type === 'message' || type === 'app_mention') {
    return {
      kind: 'message',
      parsed: parseMessage(payload, facts),
      isMention: type === 'app_mention',
      isDirect: channelType === 'im',
    };
  }
  const event = parseLifecycle(payload, facts.identity);
  return event === undefined ? { kind: 'ignored' } : { kind: 'lifecycle', event };
}

function parseInteraction(
  payload: Payload,
  identity: SlackIdentity,
): Interaction | RejectedInteraction | undefined {
  if (payload.actions !== undefined) return parseClick(payload, identity);
  switch (payload.type) {
    case 'shortcut':
    case 'message_action':
      return rejectShortcut(payload, identity);
    case 'view_submission':
      return parseForm(payload, identity);
    default:
      return undefined;
  }
}

/** The app declares no shortcuts, so any is forged or foreign. */
function rejectShortcut(payload: Payload, identity: SlackIdentity): RejectedInteraction {
  const origin = originOf(payload, identity);
  const problem = explainForeignPayload(payload, origin, identity) ?? unknownElement('a shortcut');
  return { kind: 'refused', origin, subject: 'shortcut', ...problem };
}
