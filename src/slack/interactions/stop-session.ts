import type { SessionStop } from '../inbound/parse-event.ts';
import { describeStop } from '../text/command-sentences.ts';
import type { HandlerDeps } from './handler.ts';

/** Stops the turn that was running when Slack’s own stop button was clicked. A person without permission is told, and the turn continues. */
export async function stopSession(stop: SessionStop, deps: HandlerDeps): Promise<void> {
  const { desk, log, privateNotices } = deps;
  const { at, by, channel, root, thread } = stop;
  const outcome = await desk.stopAt({ thread, at, by });
  // The thread shows a stop that took effect.
  if (outcome.kind === 'stopped') return;
  if (outcome.kind === 'nothing') await markSessionReady(stop, deps);
  await privateNotices
    .tell({ user: by.user, channel, root, text: describeStop(outcome) })
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
