import { isEventForThisApp } from '../inbound/parse-message.ts';
import { isPayload, objectAt, textAt } from '../transport/payload.ts';
import type { HandlerDeps } from './handler.ts';

/** Rechecks the calls whose approvers include a changed user group. https://docs.slack.dev/reference/events/subteam_updated */
export async function handleGroupChanged(
  body: unknown,
  { desk, identity }: Pick<HandlerDeps, 'desk' | 'identity'>,
): Promise<void> {
  if (!isPayload(body) || !isEventForThisApp(body, identity)) return;
  const id = textAt(objectAt(objectAt(body, 'event'), 'subteam'), 'id') ?? '';
  if (!/^S[A-Z0-9]{1,39}$/.test(id)) return;
  await desk.groupChanged({ team: identity.team, group: `usergroup:${id}` });
}
