/**
 * The live message of a turn: a stream if Slack allows it, else a message that is updated. Streamed
 * text can't be changed, so only text that later text can't alter is streamed. If a response is lost,
 * the stream's content is unknown: it is ended, and the message is updated from then on.
 */
import type { AnyChunk, KnownBlock } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import type { CardPlace } from '../../domain/calls/call.ts';
import {
  ChatError,
  type LiveMessage,
  type LiveView,
  uncertainLivePlace,
} from '../../domain/ports/chat.ts';
import type { InboxMessage } from '../../domain/threads/message.ts';
import { placeOf } from '../../domain/threads/thread-key.ts';
import { settledMarkdownPrefix, settledTableRows } from '../text/mrkdwn.ts';
import { METADATA } from '../transport/ids.ts';
import type { AgentSessions } from './agent-sessions.ts';
import type { ComposedMessage } from './build-messages.ts';
import { findLiveMessage } from './find-posts.ts';
import { buildLiveMessage, buildStopButton } from './live-message-blocks.ts';
import { type LiveState, stateAfterFailure, stateOf } from './live-state.ts';
import { createStreamContent } from './stream-content.ts';

type Turn = Pick<InboxMessage, 'id' | 'thread' | 'author'>;

interface LiveDeps {
  readonly client: WebClient;
  readonly botId: string;
  readonly sessions: Pick<AgentSessions, 'atStreamEnd' | 'hasStopButton'>;
}

/** Creates the live message of a turn. `left` is the place of an earlier one, if any. */
export function createLiveMessage(
  { client, botId, sessions }: LiveDeps,
  turn: Turn,
  left: CardPlace | undefined,
): LiveMessage {
  const { channel, root } = placeOf(turn.thread);
  let place = left;
  let state = stateOf(left);
  let mayStream = true;
  const content = createStreamContent();
  /** The content of the posted message, as JSON. */
  let shownJson = '';

  /** Returns our stop button, unless Slack shows its own. */
  const stopButton = (): KnownBlock[] =>
    sessions.hasStopButton() ? [] : [buildStopButton(turn.id)];

  async function find(): Promise<void> {
    const ts = await findLiveMessage(client, { channel, root, botId });
    place = ts === undefined ? undefined : { channel, ts };
    state = ts === undefined ? 'absent' : 'ended';
  }

  /** Creates the message; until Slack has answered, it may or may not exist. */
  async function create(as: LiveState, send: () => Promise<string | undefined>): Promise<void> {
    place = uncertainLivePlace(turn.thread);
    const ts = await send();
    if (ts !== undefined) place = { channel, ts };
    state = ts === undefined ? 'lost' : as;
  }

  async function start(view: LiveView): Promise<void> {
    const blocks = stopButton();
    const button: AnyChunk[] = blocks.length === 0 ? [] : [{ type: 'blocks', blocks }];
    const missing = content.missingFrom(view);
    await create('stream', () => startStream(client, turn, [...button, ...missing.chunks]));
    missing.markSent();
  }

  async function append(view: LiveView): Promise<void> {
    const missing = content.missingFrom(view);
    if (missing.chunks.length === 0) return;
    await client.chat.appendStream({ channel, ts: tsOf(place), chunks: missing.chunks });
    missing.markSent();
  }

  async function post(view: LiveView): Promise<void> {
    const message = buildLiveMessage(view, stopButton());
    const shown = JSON.stringify(message);
    if (shown === shownJson) return;
    if (state === 'posted') await client.chat.update({ channel, ts: tsOf(place), ...message });
    else await create('posted', () => postMessage(client, turn, message));
    shownJson = shown;
  }

  function reset(): void {
    place = undefined;
    state = 'absent';
    content.clear();
  }

  async function step(view: LiveView): Promise<'drawn' | 'more'> {
    switch (state) {
      case 'lost':
        await find();
        return 'more';
      case 'absent':
        if (view.text.trim() === '' && view.tasks.length === 0) return 'drawn';
        await (mayStream ? start(view) : post(view));
        return 'drawn';
      case 'stream':
        if (!content.isExtendedBy(view)) {
          state = 'ended';
          return 'more';
        }
        await append(view);
        return 'drawn';
      case 'ended':
        await client.chat.stopStream({
          channel,
          ts: tsOf(place),
          ...sessions.atStreamEnd(turn.thread),
        });
        state = 'posted';
        return 'more';
      case 'stopped':
        // The turn still runs, so the person had no permission to stop it: post the text again.
        await client.chat.delete({ channel, ts: tsOf(place) });
        reset();
        return 'more';
      case 'posted':
        await post(view);
        return 'drawn';
      case 'final':
        return 'drawn';
    }
  }

  /** Sets the state after a failed step. Throws if the caller must wait before the next one. */
  function handleFailure(error: unknown): 'drawn' | 'more' {
    const after = stateAfterFailure(error, { state, mayStream });
    // A refusal creates no message; a lost response may have.
    if (state === 'absent' && after.state !== 'lost') place = undefined;
    if (state === 'stopped' && after.state === 'absent') reset();
    ({ state, mayStream } = after);
    if (after.wait !== undefined) throw after.wait;
    return state === 'final' ? 'drawn' : 'more';
  }

  return {
    place: () => place,
    async draw(view) {
      try {
        return await step({ ...view, text: settledTableRows(settledMarkdownPrefix(view.text)) });
      } catch (error) {
        return handleFailure(error);
      }
    },
  };
}

async function startStream(
  client: WebClient,
  { thread, author }: Turn,
  chunks: AnyChunk[],
): Promise<string | undefined> {
  const { channel, root } = placeOf(thread);
  const { ts } = await client.chat.startStream({
    channel,
    thread_ts: root,
    recipient_team_id: author.team,
    recipient_user_id: author.user,
    chunks,
  });
  return ts;
}

async function postMessage(
  client: WebClient,
  { id, thread }: Turn,
  message: ComposedMessage,
): Promise<string | undefined> {
  const { channel, root } = placeOf(thread);
  const quiet = { unfurl_links: false, unfurl_media: false };
  const metadata = { event_type: METADATA.live, event_payload: { turn: id } };
  const { ts } = await client.chat.postMessage({
    channel,
    thread_ts: root,
    ...message,
    ...quiet,
    metadata,
  });
  return ts;
}

function tsOf(place: CardPlace | undefined): string {
  if (place === undefined) throw new ChatError('rejected', 'The live message has no timestamp.');
  return place.ts;
}
