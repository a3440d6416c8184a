import { compact, isJson, type Json, toText } from '../json-value.ts';
import type { StoredMessage } from '../state/message-store.ts';
import type { DirectoryChannel } from '../state/slack-directory.ts';
import { IDENTITY } from '../workspace-seed.ts';
import type { BackendNames } from './backend-names.ts';

/** What the backend is to hold again. */
export interface PersistedContent {
  readonly channels: readonly DirectoryChannel[];
  /** In the order in which they were written. */
  readonly messages: readonly StoredMessage[];
}

type Call = (as: string, method: string, args: Json) => Promise<Json>;

/** Puts what was there before a restart into a new backend, under the ids and timestamps that it had. */
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
  // Who is there already stays so.
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
