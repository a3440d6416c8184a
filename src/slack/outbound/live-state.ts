import type { CardPlace } from '../../domain/calls/call.ts';
import { ChatError } from '../../domain/ports/chat.ts';
import { slackErrorName, toChatError } from '../transport/slack-errors.ts';

/** `lost`: may exist; `ended`: a stream to be stopped; `stopped`: a person stopped the stream; `final`: no more updates. */
export type LiveState = 'absent' | 'lost' | 'stream' | 'ended' | 'stopped' | 'posted' | 'final';

/** Slack’s error after a person clicked its stop button. */
const STOPPED_BY_USER = 'stopped_by_user';
/** By then Slack’s stop event has arrived and has ended the turn, if permitted. */
const STOP_MS = 5_000;

/** Slack’s errors that tell the message’s state. */
const STATE_BY_ERROR: Readonly<Record<string, LiveState>> = {
  message_not_in_streaming_state: 'posted',
  streaming_state_conflict: 'ended',
};

/** After these errors there is no message to update. */
const UNREACHABLE: ReadonlySet<ChatError['code']> = new Set(['gone', 'undeliverable']);

type StateTable = Partial<Readonly<Record<LiveState, LiveState>>>;

/** The next state after a refused write. */
const FALLBACKS: StateTable = { stream: 'ended', ended: 'posted' };
/** The next state after a write whose response was lost. */
const UNCERTAIN: StateTable = { absent: 'lost', stream: 'ended' };

interface Before {
  readonly state: LiveState;
  readonly mayStream: boolean;
}

/** `wait`: the error with which the caller must wait before the next step. */
type AfterFailure = Before & { readonly wait?: ChatError };

/** Returns the state in which an earlier attempt left the message. */
export function stateOf(left: CardPlace | undefined): LiveState {
  if (left === undefined) return 'absent';
  return left.ts === '' ? 'lost' : 'ended';
}

/** Returns the state after a failed write. */
export function stateAfterFailure(error: unknown, before: Before): AfterFailure {
  const problem = toChatError(error, 'show what the agent writes');
  const name = slackErrorName(error);
  if (name === STOPPED_BY_USER) {
    const delay = { cause: error, retryAfterMs: STOP_MS };
    const wait = new ChatError('temporary', problem.message, delay);
    return { ...before, state: 'stopped', wait };
  }
  if (problem.code === 'rate-limited') return { ...before, wait: problem };
  if (name === undefined) {
    return { ...before, state: UNCERTAIN[before.state] ?? before.state, wait: problem };
  }
  return stateAfterRefusal(problem, before);
}

function stateAfterRefusal(problem: ChatError, before: Before): AfterFailure {
  const { state, mayStream } = before;
  if (state === 'stopped' && problem.code !== 'temporary') return { ...before, state: 'absent' };
  const byError = STATE_BY_ERROR[slackErrorName(problem.cause) ?? ''];
  if (byError !== undefined) return { ...before, state: byError };
  const isReachable = !UNREACHABLE.has(problem.code);
  if (isReachable && state === 'absent' && mayStream) return { state, mayStream: false };
  const next = isReachable ? FALLBACKS[state] : undefined;
  if (next !== undefined) return { ...before, state: next };
  if (problem.code === 'temporary' || state === 'lost') return { ...before, wait: problem };
  return { ...before, state: 'final' };
}
