import { randomBytes } from 'node:crypto';
import { checkMessage } from '../blocks/check-arguments.ts';
import { assignIds } from '../blocks/walk-blocks.ts';
import { hasApp } from '../delivery/message-events.ts';
import { isJson, type Json, toRecords, toText } from '../json-value.ts';
import type { StoredMessage } from '../state/message-store.ts';
import type { DirectoryChannel } from '../state/slack-directory.ts';
import type { WorkspaceCore } from '../workspace-core.ts';
import { IDENTITY } from '../workspace-seed.ts';
import { slackError } from './api-method.ts';

/** The content of an app's message, validated and with block ids. */
export interface Draft {
  readonly text: string;
  readonly blocks: readonly Json[];
  readonly metadata?: Json;
}

/** Returns a short id, like those that Slack assigns to blocks and elements. */
export function newBlockId(): string {
  return randomBytes(4).toString('base64url').slice(0, 5);
}

/** Validates the content of a message. Returns the draft, or Slack's error. */
export function readDraft(
  args: Json,
  options?: { textLimit?: boolean },
): { draft: Draft } | { refusal: Json } {
  const { markdown_text: markdown } = args;
  if (markdown !== undefined && (args.text !== undefined || args.blocks !== undefined)) {
    return { refusal: slackError('markdown_text_conflict') };
  }
  const blocks =
    markdown === undefined ? (args.blocks ?? []) : [{ type: 'markdown', text: toText(markdown) }];
  const refusal = checkMessage({ ...args, blocks }, options);
  if (refusal !== undefined) {
    return { refusal };
  }
  return {
    draft: {
      text: toText(args.text ?? markdown),
      blocks: assignIds(toRecords(blocks), newBlockId),
      ...(isJson(args.metadata) ? { metadata: args.metadata } : {}),
    },
  };
}

/** Finds a channel that the app may write to. A member id means the DM with that member. */
export async function findWritable(
  core: WorkspaceCore,
  channelOrUser: string,
): Promise<{ channel: DirectoryChannel } | { refusal: Json }> {
  const member = core.directory.findMember(channelOrUser);
  const channel =
    member === undefined
      ? core.directory.findChannel(channelOrUser)
      : await openDirectMessage(core, member.id);
  if (channel === undefined || (channel.kind === 'im' && !hasApp(channel))) {
    return { refusal: slackError('channel_not_found') };
  }
  if (channel.isArchived) {
    return { refusal: slackError('is_archived') };
  }
  return hasApp(channel) ? { channel } : { refusal: slackError('not_in_channel') };
}

/**
 * Returns the DM between the app and a member, and opens it if needed. Undefined for the app
 * itself.
 */
export async function openDirectMessage(
  core: WorkspaceCore,
  memberId: string,
): Promise<DirectoryChannel | undefined> {
  const { botUserId } = IDENTITY.app;
  const existing = core.directory
    .channels()
    .find((channel) => channel.kind === 'im' && channel.name === memberId);
  if (existing !== undefined || memberId === botUserId) {
    return existing;
  }
  const opened = await core.backend.call(botUserId, 'conversations.open', { users: memberId });
  const id = isJson(opened.channel) ? toText(opened.channel.id) : '';
  if (id === '') {
    return undefined;
  }
  const channel: DirectoryChannel = {
    id,
    name: memberId,
    kind: 'im',
    members: [memberId, botUserId],
    isArchived: false,
  };
  core.directory.putChannel(channel);
  core.journal.changed();
  return channel;
}

/** Posts a validated draft as the app and stores it. Returns the backend's error if it refuses. */
export async function postAsApp(
  core: WorkspaceCore,
  channel: DirectoryChannel,
  draft: Draft,
  options: { threadTs?: string; streaming?: boolean; extra?: Json } = {},
): Promise<{ message: StoredMessage } | { refusal: Json }> {
  const { app, team } = IDENTITY;
  const { threadTs, streaming = false, extra = {} } = options;
  const answer = await core.backend.call(app.botUserId, 'chat.postMessage', {
    ...extra,
    channel: channel.id,
    // The backend requires text; a new stream has none.
    text: draft.text === '' && draft.blocks.length === 0 ? ' ' : draft.text,
    ...(draft.blocks.length === 0 ? {} : { blocks: draft.blocks }),
    ...(draft.metadata === undefined ? {} : { metadata: draft.metadata }),
    ...(threadTs === undefined ? {} : { thread_ts: threadTs }),
  });
  if (answer.ok !== true) {
    return { refusal: answer };
  }
  const message: StoredMessage = {
    channel: channel.id,
    ts: toText(answer.ts),
    ...(threadTs === undefined ? {} : { threadTs }),
    user: app.botUserId,
    team: team.id,
    byApp: true,
    ...draft,
    text: draft.text.slice(0, 40_000),
    files: [],
    reactions: [],
    streaming,
  };
  core.messages.put(message);
  return { message };
}

/** Returns the timestamp of the edit, from the backend's answer. */
export function editedTs(core: WorkspaceCore, answer: Json): string {
  const edited = isJson(answer.message) ? answer.message.edited : undefined;
  return isJson(edited) ? toText(edited.ts) : core.nextTs();
}
