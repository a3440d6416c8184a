import { announceChange, announcePost, announceRemoval } from '../delivery/message-events.ts';
import { type Json, toText } from '../json-value.ts';
import type { StoredMessage } from '../state/message-store.ts';
import type { WorkspaceCore } from '../workspace-core.ts';
import { IDENTITY } from '../workspace-seed.ts';
import { slackError } from './api-method.ts';
import { keepEphemeral } from './methods/chat-methods.ts';
import { type Draft, editedTs, postAsApp, readDraft } from './post-message.ts';

/** The target of a response URL: the person, and the message that was acted on, if any. */
export interface ResponseTarget {
  readonly userId: string;
  readonly channel: string;
  readonly source?: StoredMessage;
}

/** Applies the app's answer, as if sent to the URL. Returns Slack's error if it is invalid. */
export async function applyResponse(
  core: WorkspaceCore,
  target: ResponseTarget,
  body: Json,
): Promise<Json | undefined> {
  const { source } = target;
  if (body.delete_original === true) {
    return source === undefined ? slackError('no_original') : remove(core, source);
  }
  // The limit on the total text does not apply here: slackapi/bolt-js#2867.
  const read = readDraft(body, { textLimit: false });
  if ('refusal' in read) {
    return read.refusal;
  }
  return body.replace_original === true && source !== undefined
    ? replace(core, source, read.draft)
    : postResponse(core, target, body, read.draft);
}

async function postResponse(
  core: WorkspaceCore,
  { channel, userId, source }: ResponseTarget,
  body: Json,
  draft: Draft,
): Promise<Json | undefined> {
  const threadTs = toText(body.thread_ts) || source?.threadTs;
  const thread = threadTs === undefined ? {} : { threadTs };
  if (body.response_type !== 'in_channel') {
    keepEphemeral(core, { channel, visibleTo: userId, ...draft, ...thread });
    return undefined;
  }
  const posted = await postAsApp(core, core.directory.channel(channel), draft, thread);
  if ('refusal' in posted) {
    return posted.refusal;
  }
  void announcePost(core, posted.message);
  return undefined;
}

async function replace(
  core: WorkspaceCore,
  source: StoredMessage,
  draft: Draft,
): Promise<Json | undefined> {
  const before = core.messages.find(source.channel, source.ts);
  if (before === undefined) {
    return slackError('message_not_found');
  }
  let ts = core.nextTs();
  if (before.visibleTo === undefined) {
    const { channel } = before;
    const args = { channel, ts: before.ts, ...draft };
    const answer = await core.backend.call(IDENTITY.app.botUserId, 'chat.update', args);
    if (answer.ok !== true) {
      return answer;
    }
    ts = editedTs(core, answer);
  }
  const after = { ...before, ...draft, edited: { user: before.user, ts } };
  core.messages.put(after);
  if (before.visibleTo === undefined) {
    void announceChange(core, before, after);
  }
  return undefined;
}

async function remove(core: WorkspaceCore, source: StoredMessage): Promise<Json | undefined> {
  const { channel, ts, visibleTo } = source;
  if (visibleTo === undefined) {
    const args = { channel, ts };
    const answer = await core.backend.call(IDENTITY.app.botUserId, 'chat.delete', args);
    if (answer.ok !== true) {
      return answer;
    }
    void announceRemoval(core, source);
  }
  core.messages.remove(channel, ts);
  return undefined;
}
