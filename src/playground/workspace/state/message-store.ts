import type { KnownBlock } from '@slack/types';
import { compact, type Json, toText } from '../json-value.ts';
import type { WorkspaceMessage } from '../workspace-port.ts';
import { IDENTITY } from '../workspace-seed.ts';
import { NO_PERSISTENCE, type PersistedState } from './persisted-state.ts';

/** A stored message. Its blocks are validated and have ids. */
export interface StoredMessage {
  readonly channel: string;
  readonly ts: string;
  readonly threadTs?: string;
  readonly user: string;
  readonly team: string;
  readonly byApp: boolean;
  readonly text: string;
  readonly blocks: readonly Json[];
  readonly files: readonly Json[];
  readonly reactions: readonly { name: string; users: readonly string[] }[];
  readonly metadata?: Json;
  readonly visibleTo?: string;
  readonly edited?: { user: string; ts: string };
  readonly streaming: boolean;
  /** Whether it was written as a stream, even if that has ended. */
  readonly isStream?: boolean;
  readonly clientMsgId?: string;
}

/** All messages, ordered by timestamp within a channel. */
export interface MessageStore {
  put(message: StoredMessage): void;
  find(channel: string, ts: string): StoredMessage | undefined;
  /** Returns earlier versions of the message, newest first. */
  before(channel: string, ts: string): readonly StoredMessage[];
  remove(channel: string, ts: string): void;
  /** Returns whether the message has replies. */
  hasReplies(channel: string, ts: string): boolean;
  all(): readonly StoredMessage[];
}

/** How many versions a screen may be behind. */
const MAX_VERSIONS = 3;

/**
 * Creates a store from the persisted messages. Calls `changed` after each write. Ephemeral messages
 * are lost at a restart, as in Slack.
 */
export function createMessageStore(
  changed: () => void,
  persisted: PersistedState = NO_PERSISTENCE,
): MessageStore {
  const byKey = new Map<string, StoredMessage>();
  const earlier = new Map<string, readonly StoredMessage[]>();
  const roots = new Set<string>();
  const key = (channel: string, ts: string): string => `${channel} ${ts}`;
  const putInMemory = (message: StoredMessage): void => {
    byKey.set(key(message.channel, message.ts), message);
    if (message.threadTs !== undefined && message.visibleTo === undefined) {
      roots.add(key(message.channel, message.threadTs));
    }
  };
  for (const message of persisted.all('message')) putInMemory(message as StoredMessage);
  return {
    put: (message) => {
      const at = key(message.channel, message.ts);
      const last = byKey.get(at);
      if (last) earlier.set(at, [last, ...(earlier.get(at) ?? [])].slice(0, MAX_VERSIONS));
      putInMemory(message);
      if (message.visibleTo === undefined) persisted.keep('message', at, message);
      changed();
    },
    find: (channel, ts) => byKey.get(key(channel, ts)),
    before: (channel, ts) => earlier.get(key(channel, ts)) ?? [],
    remove: (channel, ts) => {
      const isPersisted = byKey.get(key(channel, ts))?.visibleTo === undefined;
      if (isPersisted) persisted.keep('message', key(channel, ts));
      byKey.delete(key(channel, ts));
      earlier.delete(key(channel, ts));
      changed();
    },
    hasReplies: (channel, ts) => roots.has(key(channel, ts)),
    all: () => [...byKey.values()].sort((a, b) => (a.ts < b.ts ? -1 : 1)),
  };
}

/** Returns the profile that Slack adds to every message of a bot. */
function botProfile(): Json {
  const { app, team } = IDENTITY;
  return { id: app.botId, app_id: app.id, name: app.name, deleted: false, team_id: team.id };
}

/** Converts a message to its format in the Web API and events. Metadata is optional. */
export function toSlackMessage(
  message: StoredMessage,
  { parentUser, metadata = false }: { parentUser?: string; metadata?: boolean } = {},
): Json {
  const { app } = IDENTITY;
  return compact({
    type: 'message',
    subtype: message.files.length > 0 ? 'file_share' : undefined,
    user: message.user,
    ts: message.ts,
    client_msg_id: message.clientMsgId,
    text: message.text,
    team: message.team,
    ...(message.byApp ? { bot_id: app.botId, app_id: app.id, bot_profile: botProfile() } : {}),
    thread_ts: message.threadTs,
    parent_user_id: message.threadTs === message.ts ? undefined : parentUser,
    blocks: message.blocks.length > 0 ? message.blocks : undefined,
    files: message.files.length > 0 ? message.files : undefined,
    reactions: message.reactions.length > 0 ? message.reactions.map(countReaction) : undefined,
    metadata: metadata ? message.metadata : undefined,
    streaming_state: streamingState(message),
    edited: message.edited,
  });
}

/** https://docs.slack.dev/reference/events/message */
function streamingState({ isStream, streaming }: StoredMessage): string | undefined {
  if (!isStream) return undefined;
  return streaming ? 'in_progress' : 'completed';
}

function countReaction(reaction: { name: string; users: readonly string[] }): Json {
  return { ...reaction, count: reaction.users.length };
}

/** Converts a message to its public form. */
export function toWorkspaceMessage(message: StoredMessage): WorkspaceMessage {
  const { channel, ts, text, user, reactions, streaming } = message;
  return {
    channel,
    ts,
    ...(message.threadTs === undefined ? {} : { threadTs: message.threadTs }),
    user,
    ...(message.byApp ? { botId: IDENTITY.app.botId } : {}),
    text,
    // The blocks were validated, so their types are known.
    blocks: message.blocks as unknown as readonly KnownBlock[],
    files: message.files.map((file) => ({
      id: toText(file.id),
      name: toText(file.name),
      mimetype: toText(file.mimetype),
      size: Number(file.size),
    })),
    reactions,
    ...(message.metadata === undefined ? {} : { metadata: toMetadata(message.metadata) }),
    ...(message.visibleTo === undefined ? {} : { visibleTo: message.visibleTo }),
    ...(message.edited === undefined ? {} : { editedTs: message.edited.ts }),
    streaming,
  };
}

function toMetadata(metadata: Json): {
  event_type: string;
  event_payload: Record<string, unknown>;
} {
  const payload = metadata.event_payload;
  return {
    event_type: toText(metadata.event_type),
    event_payload: typeof payload === 'object' && payload !== null ? { ...payload } : {},
  };
}
