import type { Call } from '../../domain/calls/call.ts';
import type { CallOrigin } from '../../domain/calls/call-origin.ts';
import { hashJson } from '../../domain/calls/digest.ts';
import { draftCall } from '../../domain/calls/draft-call.ts';
import { channelKey } from '../../domain/threads/thread-key.ts';
import type { Tool } from '../../domain/tools/tool.ts';
import type { DeskDeps } from '../deps.ts';
import type { ExternalCaller, ExternalRequest } from './external-request.ts';

export interface DraftDeps extends Pick<DeskDeps, 'clock' | 'newId'> {
  /**
   * Derives an unguessable id part from a text, always the same: at least 128 bits, keyed with the
   * installation's secret.
   */
  readonly idOf: (text: string) => string;
}

/** Drafts the call; a repeated request gets the same id. */
export function draftRequested(
  { clock, idOf, newId }: DraftDeps,
  caller: ExternalCaller,
  request: ExternalRequest,
  outside: CallOrigin,
  tool: Tool,
  args: string,
): Call {
  const { idempotencyKey } = request;
  const own = idempotencyKey === undefined ? newId() : idOf(`${caller.key}\0${idempotencyKey}`);
  const id = `call_${own}`;
  const parts = {
    id,
    thread: channelKey({ team: request.requester.team, channel: request.channel }),
    turn: id,
    messageId: `key:${caller.key}`,
    toolCallId: own,
    tool: request.tool,
    risk: request.risk ?? tool.risk,
    args,
    requester: request.requester,
    outside,
    askedAt: clock.now(),
    askedLine: '',
    words: request.words ?? '',
  };
  return draftCall(parts, tool, parts.askedAt);
}

/** Who made the request, what they claim, and the hash of all of it. */
export function toOrigin(
  { key, name, owner, host, isProxied }: ExternalCaller,
  request: ExternalRequest,
  now: number,
): CallOrigin {
  const claims = callerClaimsOf(request);
  const { args, channel, deadlineAt, requester, risk = null, tool, words = null } = request;
  const until = deadlineAt === undefined ? {} : { deadlineAt };
  const all = {
    ...claims,
    ...until,
    args,
    channel,
    requester: { ...requester },
    risk,
    tool,
    words,
  };
  return {
    by: 'key',
    name,
    key,
    ...(host !== undefined && { host }),
    ...(isProxied && { isProxied }),
    ...(owner && { owner }),
    ...claims,
    ...(deadlineAt !== undefined && { deadlineMs: Math.max(1, deadlineAt - now) }),
    request: hashJson(all),
  };
}

/** The optional claims of a request, beyond the call itself. */
function callerClaimsOf(request: ExternalRequest) {
  const { schema, decisions, deadlineMs, choices, callbackUrl, summary, metadata } = request;
  return {
    ...(schema && { schema }),
    ...(decisions && { decisions }),
    ...(deadlineMs !== undefined && { deadlineMs }),
    ...(choices && { choices }),
    ...(callbackUrl !== undefined && { callbackUrl }),
    ...(summary !== undefined && { summary }),
    ...(metadata !== undefined && { metadata }),
    ...(request.isSilent && { isSilent: request.isSilent }),
  };
}
