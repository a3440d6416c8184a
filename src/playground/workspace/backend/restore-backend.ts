import { compact, isJson, type Json, toText } from '../json-value.ts';
import type { StoredMessage } from '../state/message-store.ts';
import type { DirectoryChannel } from '../state/slack-directory.ts';
import { IDENTITY } from '../workspace-seed.ts';
import type { BackendNames } from './backend-names.ts';

/** The content to restore into a new backend. */
export interface PersistedContent {
  readonly channels: readonly DirectoryChannel[];
  /** In the order in which they were posted. */
  readonly messages: readonly StoredMessage[];
}

type Call = (as: string, method: string, args: Json) => Promise<Json>;

/** Restores channels and messages into a new backend, under their earlier ids and timestamps. */
export async function restoreBackend(
  raw: Call,
  names: BackendNames,
  { channels, messages }: PersistedContent,
): Promise<void> {
  for (const channel of channels) await restoreChannel(raw, names, channel);
  for (const message of messages) {
    const posted = await raw(message.user, 'chat.postMessage', names.toBackend(toPost(message)));
    if (posted.ok === true) names.pair(message.ts, toText(posted.ts));
  }
}

async function restoreChannel(
  raw: Call,
  names: BackendNames,
  { id, kind, name, members }: DirectoryChannel,
): Promise<void> {
  if (kind === 'im') {
    const args = names.toBackend({ users: name });
    const opened = await raw(IDENTITY.app.botUserId, 'conversations.open', args);
    names.pair(id, toText(isJson(opened.channel) ? opened.channel.id : undefined));
    return;
  }
  // Existing members are unaffected.
  const users = members.join(',');
  await raw('root', 'conversations.invite', names.toBackend({ channel: id, users }));
}

function toPost({ channel, text, blocks, metadata, threadTs }: StoredMessage): Json {
  return compact({
    channel,
    text: text === '' ? ' ' : text,
    blocks: blocks.length > 0 ? blocks : undefined,
    metadata,
    thread_ts: threadTs,
  });
}
