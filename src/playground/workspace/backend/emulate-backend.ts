import { createEmulator } from 'emulate';
import { isJson, type Json, parseJson, toRecords, toText } from '../json-value.ts';
import { type ChannelSeed, IDENTITY, type MemberSeed, toSlackId } from '../workspace-seed.ts';
import { type BackendNames, createBackendNames } from './backend-names.ts';
import { type PersistedContent, restoreBackend } from './restore-backend.ts';
import type { SlackBackend } from './slack-backend.ts';

/** The emulator blocks a token after 5,000 calls per hour, so the bot uses many. */
const BOT_TOKENS = Array.from({ length: 100 }, (_, index) => `bot-${index}`);

/** The initial content of the emulator, and the base URL of its links. */
export interface EmulateOptions {
  readonly members: readonly MemberSeed[];
  readonly channels: readonly ChannelSeed[];
  readonly teamName: string;
  readonly baseUrl: string;
  readonly nextTs: () => string;
  /** Content from before a restart. (Default: nothing.) */
  readonly kept?: PersistedContent;
}

/** Starts `emulate` as the backend, with members and channels under the workspace's stable ids. */
export async function createEmulateBackend(options: EmulateOptions): Promise<SlackBackend> {
  const names = createBackendNames(options.nextTs);
  const emulator = await createEmulator({
    service: 'slack',
    port: 0,
    seed: { slack: toSeed(options) },
  });
  const { botUserId } = IDENTITY.app;
  let calls = 0;
  const tokenOf = (as: string): string => {
    calls += 1;
    return as === botUserId ? (BOT_TOKENS[calls % BOT_TOKENS.length] ?? '') : `member-${as}`;
  };

  async function raw(as: string, method: string, args: Json): Promise<Json> {
    const response = await fetch(`${emulator.url}/api/${method}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${tokenOf(as)}`, 'content-type': 'application/json' },
      body: JSON.stringify(args),
    });
    if (response.status === 404) {
      return { ok: false, error: 'unknown_method', req_method: method };
    }
    // Links must go through the workspace. With a base URL of its own, the emulator hides its
    // address.
    const text = (await response.text()).replaceAll(emulator.url, options.baseUrl);
    const body = parseJson(text);
    if (!response.ok || !isJson(body)) {
      throw new Error(`The emulator answered ${method} with status ${response.status}.`);
    }
    return body;
  }

  const call = async (as: string, method: string, args: Json): Promise<Json> =>
    names.fromBackend(await raw(as, method, names.toBackend(args)));

  const backend: SlackBackend = {
    call,
    upload: (fileId, body, contentType) =>
      fetch(`${emulator.url}/upload/v1/${encodeURIComponent(fileId)}`, {
        method: 'POST',
        headers: { 'content-type': contentType },
        body: new Uint8Array(body),
      }),
    download: (as, fileId, name) =>
      fetch(`${emulator.url}/files-pri/${encodeURIComponent(fileId)}/${encodeURIComponent(name)}`, {
        headers: { authorization: `Bearer ${tokenOf(as)}` },
      }),
    close: () => emulator.close(),
  };
  try {
    await pairMembers(raw, names, options.members);
    await createChannels(backend, raw, names, options);
    if (options.kept) await restoreBackend(raw, names, options.kept);
  } catch (error) {
    await emulator.close();
    throw error;
  }
  return backend;
}

function toSeed({ members, teamName }: EmulateOptions): Json {
  const { app } = IDENTITY;
  return {
    team: { name: teamName, domain: IDENTITY.team.domain },
    users: members.map(({ name, realName, isAdmin }) => ({
      name,
      real_name: realName,
      email: `${name}@example.test`,
      is_admin: isAdmin ?? false,
    })),
    oauth_apps: [
      {
        app_id: app.id,
        client_id: '1.1',
        client_secret: 'unused',
        name: app.name,
        bot_name: app.botName,
        bot_id: app.botId,
        bot_user_id: app.botUserId,
        redirect_uris: [],
      },
    ],
    tokens: [
      ...BOT_TOKENS.map((token) => ({
        token,
        type: 'bot',
        user_id: app.botUserId,
        app_id: app.id,
        bot_id: app.botId,
        bot_user_id: app.botUserId,
      })),
      { token: 'member-root', type: 'user', user_id: 'U000000001' },
      ...members.map(({ name }) => ({
        token: `member-${toSlackId('U', name)}`,
        type: 'user',
        user: name,
      })),
    ],
  };
}

type Call = (as: string, method: string, args: Json) => Promise<Json>;

async function pairMembers(
  raw: Call,
  names: BackendNames,
  members: readonly MemberSeed[],
): Promise<void> {
  names.pair(IDENTITY.team.id, 'T000000001');
  const listed = toRecords((await raw('root', 'users.list', {})).members);
  for (const { name } of members) {
    const found = listed.find((user) => user.name === name);
    names.pair(toSlackId('U', name), toText(found?.id));
  }
}

async function createChannels(
  backend: SlackBackend,
  raw: Call,
  names: BackendNames,
  { channels }: EmulateOptions,
): Promise<void> {
  names.pair(toSlackId('C', 'general'), 'C000000001');
  for (const channel of channels) {
    const { name, isPrivate, members } = channel;
    const id = toSlackId('C', name);
    if (name !== 'general') {
      const made = await raw('root', 'conversations.create', {
        name,
        is_private: isPrivate ?? false,
      });
      names.pair(id, toText(isJson(made.channel) ? made.channel.id : undefined));
    }
    await inviteMembers(backend, channel);
    // The emulator's first user, our admin, creates every channel and cannot leave #general.
    if (name !== 'general' && !members.includes('admin')) {
      await backend.call('root', 'conversations.leave', { channel: id });
    }
  }
}

async function inviteMembers(
  backend: SlackBackend,
  { name, members, withApp }: ChannelSeed,
): Promise<void> {
  const users = [
    ...members.filter((member) => member !== 'admin').map((member) => toSlackId('U', member)),
    ...(withApp ? [IDENTITY.app.botUserId] : []),
  ];
  const invited = await backend.call('root', 'conversations.invite', {
    channel: toSlackId('C', name),
    users: users.join(','),
  });
  if (invited.ok !== true) {
    throw new Error(`The emulator refused the members of #${name}: ${toText(invited.error)}.`);
  }
}
