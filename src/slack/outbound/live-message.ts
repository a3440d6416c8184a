/**
 * A message that grows, as a stream where Slack lets us, else as a message that is updated. A stream
 * can't take a text back, so it gets what no later word can change; after an answer that did not
 * arrive nobody knows what it holds, and it is ended and updated from then on.
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

/** `absent`: not there; `lost`: perhaps there; `ended`: a stream that has to be stopped; `stopped`: a person has ended the stream; `final`: it grows no more. */
type State = 'absent' | 'lost' | 'stream' | 'ended' | 'stopped' | 'posted' | 'final';

type Growing = Pick<InboxMessage, 'id' | 'thread' | 'author'>;

interface LiveDeps {
  readonly client: WebClient;
  readonly botId: string;
  readonly sessions: Pick<AgentSessions, 'atStreamEnd' | 'hasStopButton'>;
}

/** Makes the growing message of a turn. */
export function createLiveMessage(
  { client, botId, sessions }: LiveDeps,
  turn: Growing,
  left: CardPlace | undefined,
): LiveMessage {
  const { channel, root } = placeOf(turn.thread);
  let place = left;
  let state: State = stateOf(left);
  let mayStream = true;
  /** What the stream holds. */
  let streamed = '';
  const toldTasks = new Map<string, string>();
  /** What the posted message holds. */
  let drawn = '';

  async function find(): Promise<void> {
    const ts = await findLiveMessage(client, { channel, root, botId });
    place = ts === undefined ? undefined : { channel, ts };
    state = ts === undefined ? 'absent' : 'ended';
  }

  async function start(view: LiveView): Promise<void> {
    const blocks = stopButton();
    const button: AnyChunk[] = blocks.length === 0 ? [] : [{ type: 'blocks', blocks }];
    const news = newsIn(view);
    place = uncertainLivePlace(turn.thread);
    const { ts } = await client.chat.startStream({
      channel,
      thread_ts: root,
      recipient_team_id: turn.author.team,
      recipient_user_id: turn.author.user,
      chunks: [...button, ...news.chunks],
    });
    arrived(ts, 'stream');
    news.keep();
  }

  /** Our own, where Slack shows none. */
  function stopButton(): KnownBlock[] {
    return sessions.hasStopButton() ? [] : [buildStopButton(turn.id)];
  }

  async function append(view: LiveView): Promise<void> {
    const news = newsIn(view);
    if (news.chunks.length === 0) return;
    await client.chat.appendStream({ channel, ts: tsOf(place), chunks: [...news.chunks] });
    news.keep();
  }

  async function post(view: LiveView): Promise<void> {
    const message = buildLiveMessage(view, stopButton());
    const shown = JSON.stringify(message);
    if (shown === drawn) return;
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
        metadata: { event_type: METADATA.growing, event_payload: { turn: turn.id } },
      });
      arrived(posted.ts, 'posted');
    }
    drawn = shown;
  }

  function forget(): void {
    place = undefined;
    state = 'absent';
    streamed = '';
    toldTasks.clear();
  }

  function arrived(ts: string | undefined, as: State): void {
    place = ts === undefined ? uncertainLivePlace(turn.thread) : { channel, ts };
    state = ts === undefined ? 'lost' : as;
  }

  /** What the stream lacks of the view. */
  function newsIn({ text, tasks }: LiveView) {
    const chunks: AnyChunk[] = tasks
      .filter((task) => toldTasks.get(task.id) !== task.status)
      .map(toTaskChunk);
    const target = whole(text.slice(0, BUDGET.growingText));
    const rest = target.slice(streamed.length);
    if (rest !== '' && target.trim() !== '') chunks.push({ type: 'markdown_text', text: rest });
    const keep = () => {
      if (target.trim() !== '') streamed = target;
      for (const task of tasks) toldTasks.set(task.id, task.status);
    };
    return { chunks, keep };
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
        // The turn goes on all the same, so whoever pressed was not allowed to: its words come again.
        await client.chat.delete({ channel, ts: tsOf(place) });
        forget();
        return 'more';
      case 'posted':
        await post(view);
        return 'drawn';
      case 'final':
        return 'drawn';
    }
  }

  /** Settles what a failed step means for the next one; throws what is to be waited for. */
  function recover(error: unknown): 'drawn' | 'more' {
    const problem = toChatError(error, 'show what the agent writes');
    const name = slackErrorName(error);
    const isUnsure = name === undefined && problem.code !== 'rate-limited';
    if (state === 'absent') {
      // A refusal leaves nothing behind; silence may.
      if (!isUnsure) place = undefined;
      else state = 'lost';
    }
    if (name === STOPPED) {
      state = 'stopped';
      throw new ChatError('temporary', problem.message, { cause: error, retryAfterMs: STOP_MS });
    }
    if (isUnsure && state === 'stream') state = 'ended';
    if (isUnsure || problem.code === 'rate-limited') throw problem;
    return refused(problem);
  }

  function refused(problem: ChatError): 'drawn' | 'more' {
    if (state === 'stopped' && problem.code !== 'temporary') {
      forget();
      return 'more';
    }
    const next = wayOn(problem);
    if (next !== undefined) {
      state = next;
      return 'more';
    }
    if (problem.code === 'temporary' || state === 'lost') throw problem;
    state = 'final';
    return 'drawn';
  }

  /** Another way to show it, where there is one. */
  function wayOn({ code, cause }: ChatError): State | undefined {
    const named = NAMED_WAYS[slackErrorName(cause) ?? ''];
    if (named !== undefined || HOPELESS.has(code)) return named;
    if (state !== 'absent') return WAYS[state];
    const isNews = mayStream;
    mayStream = false;
    return isNews ? 'absent' : undefined;
  }

  return {
    place: () => place,
    async draw(view) {
      try {
        return await step({ ...view, text: settledTableRows(settledMarkdownPrefix(view.text)) });
      } catch (error) {
        return recover(error);
      }
    },
  };
}

/** A person has pressed Slack's stop button. */
const STOPPED = 'stopped_by_user';
/** By then the event of it has come, and has ended the turn if it may. */
const STOP_MS = 5_000;

/** What Slack's own words say of the message. */
const NAMED_WAYS: Readonly<Record<string, State>> = {
  message_not_in_streaming_state: 'posted',
  streaming_state_conflict: 'ended',
};

/** After these there is nothing to write to. */
const HOPELESS: ReadonlySet<ChatError['code']> = new Set(['gone', 'undeliverable']);

/** Where a refused write of this state goes on. */
const WAYS: Partial<Readonly<Record<State, State>>> = { stream: 'ended', ended: 'posted' };

function stateOf(left: CardPlace | undefined): State {
  if (left === undefined) return 'absent';
  return left.ts === '' ? 'lost' : 'ended';
}

function tsOf(place: CardPlace | undefined): string {
  if (place === undefined) throw new ChatError('rejected', 'The growing message has no place.');
  return place.ts;
}

/** A text without the half of a character at its end. */
function whole(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text;
}
