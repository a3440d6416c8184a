import { threadKey } from '../../domain/threads/thread-key.ts';
import { isEventForThisApp, isMessagePlace } from '../inbound/parse-message.ts';
import { describeStop } from '../text/command-sentences.ts';
import { isPayload, objectAt, type Payload, textAt } from '../transport/payload.ts';
import type { HandlerDeps } from './handler.ts';

/** A click on Slack’s own stop button of a session. */
interface SessionStop {
  readonly channel: string;
  readonly root: string;
  readonly user: string;
  /** When it was clicked, in ms. */
  readonly at: number;
}

/** Stops the turn that was running when Slack’s own stop button was clicked. A person without permission is told, and the turn continues. https://docs.slack.dev/reference/events/agent_session_stopped */
export async function stopSession(body: unknown, deps: HandlerDeps): Promise<void> {
  const { desk, identity, log, teller } = deps;
  if (!isPayload(body) || !isEventForThisApp(body, identity)) return;
  const stop = readStop(objectAt(body, 'event'));
  if (stop === undefined) return;
  const { at, channel, root, user } = stop;
  const thread = threadKey({ team: identity.team, channel, ts: root });
  const outcome = await desk.stopAt({ thread, at, by: { team: identity.team, user } });
  // The thread shows a stop that took effect.
  if (outcome.kind === 'stopped') return;
  if (outcome.kind === 'nothing') await markSessionReady(stop, deps);
  await teller
    .tell({ user, channel, root, text: describeStop(outcome) })
    .catch((error: unknown) => {
      log.warn({ err: error, thread }, 'Could not tell a person why nothing was stopped.');
    });
}

/** Shows the session as ready: Slack leaves its status to the app, and no turn is running to set it. */
async function markSessionReady({ channel, root }: SessionStop, { client, log }: HandlerDeps) {
  const place = { channel_id: channel, thread_ts: root };
  await client.agents.sessions
    .setStatus({ ...place, status: 'active' })
    .catch((error: unknown) =>
      log.warn(
        { err: error, ...place },
        'Could not reset the status of a session; Slack may still show it as working.',
      ),
    );
}

function readStop(event: Payload): SessionStop | undefined {
  const channel = textAt(event, 'channel') ?? '';
  const root = textAt(event, 'thread_ts') ?? '';
  const user = textAt(event, 'user');
  const at = Number(textAt(event, 'event_ts')) * 1_000;
  if (user === undefined || !isMessagePlace(channel, root) || !Number.isFinite(at))
    return undefined;
  return { channel, root, user, at };
}
