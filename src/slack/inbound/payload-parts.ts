/** Reads the fields that Slack’s payloads of clicks and forms have in common. */
import type { CardPlace } from '../../domain/calls/call.ts';
import type { SlackIdentity } from '../transport/connect-slack.ts';
import { listAt, objectAt, type Payload, textAt } from '../transport/payload.ts';
import type { InteractionOrigin } from './interaction.ts';
import { actingTeamOf } from './validate-payload.ts';

/** Returns who clicked, and where to answer them. */
export function originOf(payload: Payload, identity: SlackIdentity): InteractionOrigin {
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

/** Returns the place of the message whose button was clicked. */
export function placeOfClick(payload: Payload): CardPlace | undefined {
  const container = objectAt(payload, 'container');
  const channel = textAt(container, 'channel_id');
  const ts = textAt(container, 'message_ts');
  return channel === undefined || ts === undefined ? undefined : { channel, ts };
}

/** Returns what a view’s inputs hold, by block id. */
export function valuesOf(view: Payload): Payload {
  return objectAt(objectAt(view, 'state'), 'values');
}

/** Returns the block ids of a view’s inputs. */
export function inputsOf(view: Payload): readonly string[] {
  return listAt(view, 'blocks').flatMap((block) =>
    block.type === 'input' ? [textAt(block, 'block_id') ?? ''] : [],
  );
}
