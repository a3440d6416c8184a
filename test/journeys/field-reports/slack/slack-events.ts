/** Hand-made Slack events, for unusual orders and cases. */
import assert from 'node:assert/strict';
import type { WorkspaceMessage } from '../../../../src/playground/workspace/workspace-port.ts';
import type { Place } from '../../../support/app/scene.ts';
import type { FieldStage } from '../field-stage.ts';

/** Posts a message whose events the journey sends by hand. */
export async function post(
  { workspace }: FieldStage,
  channel: string,
  text: string,
): Promise<WorkspaceMessage> {
  workspace.faults.holdEvents();
  return await workspace.say('requester', workspace.channel(channel).id, text);
}

/** Makes the two events that Slack sends for a mention. */
export function eventsOf({ workspace }: FieldStage, message: WorkspaceMessage) {
  const { channel, ts, text, threadTs } = message;
  const { id: user, teamId: team } = workspace.member('requester');
  const thread = threadTs === undefined ? {} : { thread_ts: threadTs };
  const common = { user, team, text, ts, channel, event_ts: ts, ...thread };
  return {
    mention: { ...common, type: 'app_mention' },
    message: { ...common, type: 'message', channel_type: 'channel' },
  };
}

/** Returns the thread of a message. */
export function placeOf({ channel, ts, threadTs = ts }: WorkspaceMessage): Place {
  return { channel, root: threadTs };
}

/** Asserts that a delivery changes nothing: no model request, no message, no card. */
export async function changesNothing(
  stage: FieldStage,
  deliver: () => Promise<unknown>,
  place: Place,
): Promise<void> {
  const own = () => {
    const { messages } = stage.workspace.see('requester');
    return messages.filter(({ user }) => user === stage.workspace.app.botUserId).length;
  };
  const look = () => ({ asked: stage.asked(), own: own(), cards: stage.cards(place) });
  await stage.settled();
  const before = look();
  await deliver();
  await stage.settled();
  assert.deepEqual(look(), before);
}
