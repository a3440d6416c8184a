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
import { BUDGET } from '../text/limits.ts';
import { settledMarkdownPrefix, settledTableRows } from '../text/mrkdwn.ts';
import { METADATA } from '../transport/ids.ts';
import { slackErrorName, toChatError } from '../transport/slack-errors.ts';
import type { AgentSessions } from './agent-sessions.ts';
import { findLiveMessage } from './find-posts.ts';
import { buildLiveMessage, buildStopButton, toTaskChunk } from './live-message-blocks.ts';

/** `lost`: may exist; `ended`: a stream to be stopped; `stopped`: a person stopped the stream; `final`: no more updates. */
type State = 'absent' | 'lost' | 'stream' | 'ended' | 'stopped' | 'posted' | 'final';

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
  let state: State = stateOf(left);
  let mayStream = true;
  /** The text of the stream so far. */
  let streamed = '';
  const sentTasks = new Map<string, string>();
  /** The content of the posted message, as JSON. */
  let shownJson = '';

  async function find(): Promise<void> {
    const ts = await findLiveMessage(client, { channel, root, botId });
    place = ts === undefined ? undefined : { channel, ts };
    state = ts === undefined ? 'absent' : 'ended';
  }

  async function start(view: LiveView): Promise<void> {
    const blocks = stopButton();
    const button: AnyChunk[] = blocks.length === 0 ? [] : [{ type: 'blocks', blocks }];
    const missing = missingFrom(view);
    place = uncertainLivePlace(turn.thread);
    const { ts } = await client.chat.startStream({
      channel,
      thread_ts: root,
      recipient_team_id: turn.author.team,
      recipient_user_id: turn.author.user,
      chunks: [...button, ...missing.chunks],
    });
    setPlace(ts, 'stream');
    missing.markSent();
  }

  /** Returns our stop button, unless Slack shows its own. */
  function stopButton(): KnownBlock[] {
    return sessions.hasStopButton() ? [] : [buildStopButton(turn.id)];
  }

  async function append(view: LiveView): Promise<void> {
    const missing = missingFrom(view);
    if (missing.chunks.length === 0) return;
    await client.chat.appendStream({ channel, ts: tsOf(place), chunks: [...missing.chunks] });
    missing.markSent();
  }

  async function post(view: LiveView): Promise<void> {
    const message = buildLiveMessage(view, stopButton());
    const shown = JSON.stringify(message);
    if (shown === shownJson) return;
    if (state === 'posted') {
      await client.chat.update({ channel, ts: tsOf(place), ...message });
    } else {
      place = uncertainLivePlace(turn.thread);
      const quiet = { unfurl_links: false, unfurl_media: false };
      const posted = await client.chat.postMessage({
        channel,
        thread_ts: root,
        ...message,
        ...quiet,
        metadata: { event_type: METADATA.live, event_payload: { turn: turn.id } },
      });
      setPlace(posted.ts, 'posted');
    }
    shownJson = shown;
  }

  function reset(): void {
    place = undefined;
    state = 'absent';
    streamed = '';
    sentTasks.clear();
  }

  function setPlace(ts: string | undefined, as: State): void {
    place = ts === undefined ? uncertainLivePlace(turn.thread) : { channel, ts };
    state = ts === undefined ? 'lost' : as;
  }

  /** Returns what the stream lacks of the view; `markSent` records that it was sent. */
  function missingFrom({ text, tasks }: LiveView) {
    const chunks: AnyChunk[] = tasks
      .filter((task) => sentTasks.get(task.id) !== task.status)
      .map(toTaskChunk);
    const target = withoutHalfCharacter(text.slice(0, BUDGET.growingText));
    const rest = target.slice(streamed.length);
    if (rest !== '' && target.trim() !== '') chunks.push({ type: 'markdown_text', text: rest });
    const markSent = () => {
      if (target.trim() !== '') streamed = target;
      for (const task of tasks) sentTasks.set(task.id, task.status);
    };
    return { chunks, markSent };
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
        if (!view.text.startsWith(streamed)) {
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
    const problem = toChatError(error, 'show what the agent writes');
    const name = slackErrorName(error);
    const isOutcomeUnknown = name === undefined && problem.code !== 'rate-limited';
    if (state === 'absent') {
      // A refusal creates no message; a lost response may have.
      if (!isOutcomeUnknown) place = undefined;
      else state = 'lost';
    }
    if (name === STOPPED_BY_USER) {
      state = 'stopped';
      throw new ChatError('temporary', problem.message, { cause: error, retryAfterMs: STOP_MS });
    }
    if (isOutcomeUnknown && state === 'stream') state = 'ended';
    if (isOutcomeUnknown || problem.code === 'rate-limited') throw problem;
    return handleRefusal(problem);
  }

  function handleRefusal(problem: ChatError): 'drawn' | 'more' {
    if (state === 'stopped' && problem.code !== 'temporary') {
      reset();
      return 'more';
    }
    const next = fallbackState(problem);
    if (next !== undefined) {
      state = next;
      return 'more';
    }
    if (problem.code === 'temporary' || state === 'lost') throw problem;
    state = 'final';
    return 'drawn';
  }

  /** Returns the state for another way to show the message, if any. */
  function fallbackState({ code, cause }: ChatError): State | undefined {
    const byError = STATE_BY_ERROR[slackErrorName(cause) ?? ''];
    if (byError !== undefined || UNREACHABLE.has(code)) return byError;
    if (state !== 'absent') return FALLBACKS[state];
    const isFirstRefusal = mayStream;
    mayStream = false;
    return isFirstRefusal ? 'absent' : undefined;
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

/** Slack’s error after a person clicked its stop button. */
const STOPPED_BY_USER = 'stopped_by_user';
/** By then Slack’s stop event has arrived and has ended the turn, if permitted. */
const STOP_MS = 5_000;

/** Slack’s errors that tell the message’s state. */
const STATE_BY_ERROR: Readonly<Record<string, State>> = {
  message_not_in_streaming_state: 'posted',
  streaming_state_conflict: 'ended',
};

/** After these errors there is no message to update. */
const UNREACHABLE: ReadonlySet<ChatError['code']> = new Set(['gone', 'undeliverable']);

/** The next state after a refused write. */
const FALLBACKS: Partial<Readonly<Record<State, State>>> = { stream: 'ended', ended: 'posted' };

function stateOf(left: CardPlace | undefined): State {
  if (left === undefined) return 'absent';
  return left.ts === '' ? 'lost' : 'ended';
}

function tsOf(place: CardPlace | undefined): string {
  if (place === undefined) throw new ChatError('rejected', 'The live message has no timestamp.');
  return place.ts;
}

/** Cuts half a surrogate pair from the end. */
function withoutHalfCharacter(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text;
}
