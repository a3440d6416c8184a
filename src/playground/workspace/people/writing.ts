import { randomUUID } from 'node:crypto';
import { sharesOf } from '../api/methods/file-methods.ts';
import { editedTs } from '../api/post-message.ts';
import { announceChange, announcePost, announceRemoval } from '../delivery/message-events.ts';
import { type Json, toRecords, toText } from '../json-value.ts';
import { type StoredMessage, toWorkspaceMessage } from '../state/message-store.ts';
import type { DirectoryChannel, DirectoryMember } from '../state/slack-directory.ts';
import type { WorkspaceCore } from '../workspace-core.ts';
import type { Workspace, WorkspaceMessage } from '../workspace-port.ts';
import { IDENTITY } from '../workspace-seed.ts';

type PostOptions = NonNullable<Parameters<Workspace['say']>[3]>;
type PostedFile = NonNullable<PostOptions['files']>[number];

/** People's posts, edits and deletions. */
export type WritingActions = Pick<Workspace, 'say' | 'repeat' | 'edit' | 'remove'>;

/** Creates the writing actions of people. */
export function createWritingActions(core: WorkspaceCore): WritingActions {
  const { directory, messages, backend } = core;

  return {
    say: (...message) => writeMessage(core, ...message),
    repeat: async (channelName, ts) => {
      const message = messages.find(directory.channel(channelName).id, ts);
      if (message !== undefined) await announcePost(core, message);
    },
    edit: async (name, channelName, ts, typed) => {
      const { member, message } = findOwn(core, name, channelName, ts);
      const text = encodeTyped(typed);
      const args = { channel: message.channel, ts, text };
      const answer = requireOk(await backend.call(member.id, 'chat.update', args), 'chat.update');
      const after = {
        ...message,
        text,
        edited: { user: member.id, ts: editedTs(core, answer) },
      };
      messages.put(after);
      await announceChange(core, message, after);
    },
    remove: async (name, channelName, ts) => {
      const { member, message } = findOwn(core, name, channelName, ts);
      const args = { channel: message.channel, ts };
      requireOk(await backend.call(member.id, 'chat.delete', args), 'chat.delete');
      messages.remove(message.channel, ts);
      await announceRemoval(core, message);
    },
  };
}

async function writeMessage(
  core: WorkspaceCore,
  name: string,
  channelName: string,
  typed: string,
  { threadTs, files = [] }: PostOptions = {},
): Promise<WorkspaceMessage> {
  const { member, channel } = findPlace(core, name, channelName);
  const text = encodeTyped(typed);
  const thread = threadTs === undefined ? {} : { thread_ts: threadTs };
  const posted =
    files.length === 0
      ? await postText(core, member, channel, { text, ...thread })
      : await postFiles(core, member, channel, { initial_comment: text, ...thread }, files);
  const message: StoredMessage = {
    channel: channel.id,
    ts: posted.ts,
    ...(threadTs === undefined ? {} : { threadTs }),
    user: member.id,
    team: member.teamId,
    byApp: false,
    text,
    blocks: [],
    files: posted.files,
    reactions: [],
    streaming: false,
    clientMsgId: randomUUID(),
  };
  core.messages.put(message);
  await announcePost(core, message);
  return toWorkspaceMessage(message);
}

function findPlace({ directory }: WorkspaceCore, name: string, channelName: string) {
  const member = directory.member(name);
  const channel = directory.channel(channelName);
  if (!channel.members.includes(member.id)) {
    throw new Error(`${member.name} is not in ${channel.name} and so cannot write there.`);
  }
  return { member, channel };
}

function findOwn(core: WorkspaceCore, name: string, channelName: string, ts: string) {
  const { member, channel } = findPlace(core, name, channelName);
  const message = core.messages.find(channel.id, ts);
  if (message === undefined || message.user !== member.id) {
    throw new Error(`${member.name} has no message ${ts} in ${channel.name}.`);
  }
  return { member, message };
}

/**
 * Encodes typed text as Slack stores it.
 * https://docs.slack.dev/messaging/formatting-message-text#escaping
 */
function encodeTyped(typed: string): string {
  return typed
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(BOT_PLACEHOLDER, `<@${IDENTITY.app.botUserId}>`);
}

const BOT_PLACEHOLDER = `$${'{bot}'}`;

function requireOk(answer: Json, what: string): Json {
  if (answer.ok !== true) {
    throw new Error(`The backend refused ${what}: ${toText(answer.error)}.`);
  }
  return answer;
}

async function postText(
  core: WorkspaceCore,
  member: DirectoryMember,
  channel: DirectoryChannel,
  args: Json,
): Promise<{ ts: string; files: readonly Json[] }> {
  const method = 'chat.postMessage';
  const answer = await core.backend.call(member.id, method, { channel: channel.id, ...args });
  return { ts: toText(requireOk(answer, method).ts), files: [] };
}

async function postFiles(
  core: WorkspaceCore,
  member: DirectoryMember,
  channel: DirectoryChannel,
  args: Json,
  files: readonly PostedFile[],
): Promise<{ ts: string; files: readonly Json[] }> {
  const uploaded: { id: string; title: string }[] = [];
  for (const { name, content, mimetype } of files) {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
    const announced = await core.backend.call(member.id, 'files.getUploadURLExternal', {
      filename: name,
      length: bytes.length,
    });
    const id = toText(requireOk(announced, 'the upload').file_id);
    await core.backend.upload(id, bytes, mimetype);
    uploaded.push({ id, title: name });
  }
  const answer = await core.backend.call(member.id, 'files.completeUploadExternal', {
    files: uploaded,
    channel_id: channel.id,
    ...args,
  });
  const [share] = sharesOf(requireOk(answer, 'the files'));
  return {
    ts: share?.ts ?? core.nextTs(),
    files: toRecords(answer.files).map((file, index) => ({
      ...file,
      mimetype: files[index]?.mimetype ?? file.mimetype,
    })),
  };
}
