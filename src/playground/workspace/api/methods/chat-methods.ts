import {
  announceChange,
  announcePost,
  announceRemoval,
  toEventMessage,
} from '../../delivery/message-events.ts';
import { type Json, toText } from '../../json-value.ts';
import type { StoredMessage } from '../../state/message-store.ts';
import type { ThreadStatuses } from '../../state/thread-statuses.ts';
import type { WorkspaceCore } from '../../workspace-core.ts';
import { IDENTITY } from '../../workspace-seed.ts';
import { type ApiMethods, slackError, slackOk } from '../api-method.ts';
import { type Draft, editedTs, findWritable, postAsApp, readDraft } from '../post-message.ts';

/** Formatting flags that are passed to the backend. */
const PASSED_ON = [
  'mrkdwn',
  'parse',
  'link_names',
  'unfurl_links',
  'unfurl_media',
  'reply_broadcast',
];

/** The `chat.*` methods for whole messages. */
export function createChatMethods(core: WorkspaceCore, statuses: ThreadStatuses): ApiMethods {
  return {
    'chat.postMessage': (args) => postMessage(core, statuses, args),
    'chat.postEphemeral': (args) => postEphemeral(core, args),
    'chat.update': (args) => updateMessage(core, args),
    'chat.delete': (args) => deleteMessage(core, args),
    'chat.getPermalink': (args) => {
      const found = core.messages.find(toText(args.channel), toText(args.message_ts));
      return found === undefined
        ? slackError('message_not_found')
        : slackOk({ channel: found.channel, permalink: toPermalink(core.url, found) });
    },
  };
}

function toPermalink(url: string, { channel, ts, threadTs }: StoredMessage): string {
  const base = `${url}/archives/${channel}/p${ts.replace('.', '')}`;
  return threadTs === undefined || threadTs === ts
    ? base
    : `${base}?${new URLSearchParams({ thread_ts: threadTs, cid: channel })}`;
}

async function postMessage(
  core: WorkspaceCore,
  statuses: ThreadStatuses,
  args: Json,
): Promise<Json> {
  const read = readDraft(args);
  if ('refusal' in read) {
    return read.refusal;
  }
  const writable = await findWritable(core, toText(args.channel));
  if ('refusal' in writable) {
    return writable.refusal;
  }
  const threadTs = toText(args.thread_ts) || undefined;
  const extra = Object.fromEntries(PASSED_ON.filter((k) => k in args).map((k) => [k, args[k]]));
  const posted = await postAsApp(core, writable.channel, read.draft, {
    ...(threadTs === undefined ? {} : { threadTs }),
    extra,
  });
  if ('refusal' in posted) {
    return posted.refusal;
  }
  const { message } = posted;
  statuses.clear(message.channel, threadTs);
  void announcePost(core, message);
  return slackOk({
    channel: message.channel,
    ts: message.ts,
    message: toEventMessage(core, message),
  });
}

async function postEphemeral(core: WorkspaceCore, args: Json): Promise<Json> {
  const read = readDraft(args);
  if ('refusal' in read) {
    return read.refusal;
  }
  const writable = await findWritable(core, toText(args.channel));
  if ('refusal' in writable) {
    return writable.refusal;
  }
  const user = toText(args.user);
  if (!writable.channel.members.includes(user)) {
    return slackError('user_not_in_channel');
  }
  const message = keepEphemeral(core, {
    ...read.draft,
    channel: writable.channel.id,
    visibleTo: user,
    ...(toText(args.thread_ts) === '' ? {} : { threadTs: toText(args.thread_ts) }),
  });
  return slackOk({ message_ts: message.ts });
}

/** Stores an ephemeral message of the app. It causes no event and is in no history. */
export function keepEphemeral(
  core: WorkspaceCore,
  content: Pick<StoredMessage, 'channel' | 'text' | 'blocks' | 'threadTs'> & { visibleTo: string },
): StoredMessage {
  const message: StoredMessage = {
    ...content,
    ts: core.nextTs(),
    user: IDENTITY.app.botUserId,
    team: IDENTITY.team.id,
    byApp: true,
    files: [],
    reactions: [],
    streaming: false,
  };
  core.messages.put(message);
  return message;
}

async function updateMessage(core: WorkspaceCore, args: Json): Promise<Json> {
  const before = findEditable(core, args);
  if ('refusal' in before) {
    return before.refusal;
  }
  const read = readUpdate(before, args);
  if ('refusal' in read) {
    return read.refusal;
  }
  const { channel, ts } = before;
  const { app } = IDENTITY;
  const answer = await core.backend.call(app.botUserId, 'chat.update', {
    channel,
    ts,
    ...read.draft,
  });
  if (answer.ok !== true) {
    return answer;
  }
  const edited = { user: app.botUserId, ts: editedTs(core, answer) };
  const after: StoredMessage = { ...before, ...read.draft, edited };
  core.messages.put(after);
  void announceChange(core, before, after);
  return slackOk({ channel, ts, text: after.text, message: toEventMessage(core, after) });
}

function findEditable(core: WorkspaceCore, args: Json): StoredMessage | { refusal: Json } {
  const channel = core.directory.findChannel(toText(args.channel));
  const message = core.messages.find(toText(args.channel), toText(args.ts));
  if (channel === undefined) {
    return { refusal: slackError('channel_not_found') };
  }
  if (message === undefined || message.visibleTo !== undefined) {
    return { refusal: slackError('message_not_found') };
  }
  if (!message.byApp) {
    return { refusal: slackError('cant_update_message') };
  }
  return message.streaming ? { refusal: slackError('streaming_state_conflict') } : message;
}

/** Text without blocks removes the blocks. https://docs.slack.dev/reference/methods/chat.update */
function readUpdate(before: StoredMessage, args: Json): { draft: Draft } | { refusal: Json } {
  const hasText = args.text !== undefined || args.markdown_text !== undefined;
  const hasBlocks = args.blocks !== undefined;
  const read = readDraft(hasText || hasBlocks ? args : { ...args, text: before.text });
  if ('refusal' in read) {
    return read;
  }
  const draft = {
    ...read.draft,
    ...(hasText ? {} : { text: before.text }),
    ...(hasText || hasBlocks ? {} : { blocks: before.blocks }),
  };
  return { draft };
}

async function deleteMessage(core: WorkspaceCore, args: Json): Promise<Json> {
  const before = core.messages.find(toText(args.channel), toText(args.ts));
  if (before === undefined || before.visibleTo !== undefined) {
    return slackError('message_not_found');
  }
  const answer = await core.backend.call(IDENTITY.app.botUserId, 'chat.delete', {
    channel: before.channel,
    ts: before.ts,
  });
  if (answer.ok !== true) {
    return answer;
  }
  core.messages.remove(before.channel, before.ts);
  void announceRemoval(core, before);
  return slackOk({ channel: before.channel, ts: before.ts });
}
