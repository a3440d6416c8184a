import type { Tool } from '../tools/tool.ts';
import type { Call } from './call.ts';
import { callDigestOf } from './digest.ts';
import { type CallPreview, toStoredPreview } from './stored-preview.ts';

/** What differs between new calls. */
type CallParts = Pick<
  Call,
  | 'id'
  | 'thread'
  | 'turn'
  | 'messageId'
  | 'toolCallId'
  | 'tool'
  | 'risk'
  | 'args'
  | 'requester'
  | 'askedLine'
  | 'words'
> &
  Partial<
    Pick<
      Call,
      'position' | 'siblings' | 'server' | 'idempotent' | 'agent' | 'outside' | 'askedAt' | 'work'
    >
  >;

/** Makes a new call: the only place that does. The policy has not ruled on it yet. */
export function draftCall(
  parts: CallParts,
  { schemaHash, secrets }: Pick<Tool, 'schemaHash' | 'secrets'>,
  now: number,
): Call {
  const call: Call = {
    position: 0,
    siblings: 1,
    idempotent: false,
    ...parts,
    schemaHash,
    proposedArgs: parts.args,
    ...(secrets.length > 0 && { secrets }),
    digest: '',
    attempt: 1,
    revision: 1,
    status: 'proposed',
    votes: [],
    delivered: false,
    createdAt: now,
    updatedAt: now,
  };
  return { ...call, digest: callDigestOf(call) };
}

/** Adds the tool's preview to a new call; its digest then covers what people see. */
export function withPreview(call: Call, shown: CallPreview): Call {
  const draft = { ...call, ...toStoredPreview(shown) };
  return { ...draft, digest: callDigestOf(draft) };
}
