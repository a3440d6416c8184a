import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { COMMAND } from '../../src/slack/transport/ids.ts';

/** The scopes of each method that the code calls. A list in a row holds alternatives, one per kind of conversation. */
const METHOD_SCOPES: Readonly<
  Record<string, { readonly scopes: readonly string[]; readonly url: string }>
> = {
  'agents.sessions.setStatus': method('agents.sessions.setStatus', 'chat:write'),
  'assistant.threads.setStatus': method('assistant.threads.setStatus', 'chat:write'),
  'assistant.threads.setSuggestedPrompts': method(
    'assistant.threads.setSuggestedPrompts',
    'assistant:write',
  ),
  'assistant.threads.setTitle': method('assistant.threads.setTitle', 'assistant:write'),
  'auth.test': method('auth.test'),
  'bots.info': method('bots.info', 'users:read'),
  'chat.appendStream': method('chat.appendStream', 'chat:write'),
  'chat.delete': method('chat.delete', 'chat:write'),
  'chat.postEphemeral': method('chat.postEphemeral', 'chat:write'),
  'chat.postMessage': method('chat.postMessage', 'chat:write'),
  'chat.startStream': method('chat.startStream', 'chat:write'),
  'chat.stopStream': method('chat.stopStream', 'chat:write'),
  'chat.update': method('chat.update', 'chat:write'),
  // Top-level messages and cards of a channel are found by their metadata.
  'conversations.history': method(
    'conversations.history',
    'channels:history',
    'groups:history',
    'im:history',
    'mpim:history',
    'metadata.message:read',
  ),
  // Reads the name of a route's channel, and whether the app is a member.
  'conversations.info': method('conversations.info', 'channels:read', 'groups:read'),
  'conversations.list': method('conversations.list', 'channels:read', 'groups:read'),
  // Reads the members of an approver channel; of a private one only if the app is in it.
  'conversations.members': method('conversations.members', 'channels:read', 'groups:read'),
  'conversations.open': method('conversations.open', 'im:write'),
  'conversations.replies': method(
    'conversations.replies',
    'channels:history',
    'groups:history',
    'im:history',
    'mpim:history',
    // Cards are found by their metadata: https://docs.slack.dev/reference/scopes/metadata.message.read/
    'metadata.message:read',
  ),
  'files.completeUploadExternal': method('files.completeUploadExternal', 'files:write'),
  'files.getUploadURLExternal': method('files.getUploadURLExternal', 'files:write'),
  // The bytes behind its `url_private` need the same one: https://docs.slack.dev/reference/scopes/files.read/
  'files.info': method('files.info', 'files:read'),
  'usergroups.list': method('usergroups.list', 'usergroups:read'),
  'usergroups.users.list': method('usergroups.users.list', 'usergroups:read'),
  // E-mail addresses need a scope of their own: https://docs.slack.dev/reference/scopes/users.read.email/
  'users.info': method('users.info', 'users:read', 'users:read.email'),
  'users.list': method('users.list', 'users:read'),
  'views.open': method('views.open'),
  'views.publish': method('views.publish'),
  'views.push': method('views.push'),
  'views.update': method('views.update'),
};

/** https://docs.slack.dev/reference/events */
const EVENT_SCOPES: Readonly<Record<string, string | undefined>> = {
  agent_session_stopped: 'chat:write',
  agent_session_title_changed: 'chat:write',
  // The event for an opened app needs no scope.
  app_home_opened: undefined,
  app_mention: 'app_mentions:read',
  'message.channels': 'channels:history',
  'message.groups': 'groups:history',
  'message.im': 'im:history',
  'message.mpim': 'mpim:history',
  subteam_updated: 'usergroups:read',
};

/** https://docs.slack.dev/reference/scopes/commands */
const COMMAND_SCOPE = 'commands';

function method(name: string, ...scopes: readonly string[]) {
  return { scopes, url: `https://docs.slack.dev/reference/methods/${name}` };
}

interface Manifest {
  readonly display_information: { readonly name: string };
  readonly features: {
    readonly app_home: object;
    readonly bot_user: { readonly display_name: string };
    readonly slash_commands?: readonly {
      readonly command: string;
      readonly description: string;
      readonly usage_hint: string;
      readonly should_escape: boolean;
    }[];
    readonly agent_view: { readonly agent_description: string };
  };
  readonly oauth_config: { readonly scopes: { readonly bot: readonly string[] } };
  readonly settings: {
    readonly event_subscriptions: { readonly bot_events: readonly string[] };
    readonly interactivity: { readonly is_enabled: boolean };
    readonly socket_mode_enabled: boolean;
  };
}

const root = new URL('../../', import.meta.url);

async function readManifest(): Promise<Manifest> {
  return parse(await readFile(new URL('manifest.yml', root), 'utf8')) as Manifest;
}

async function methodsInCode(): Promise<ReadonlySet<string>> {
  const folder = new URL('src/slack/', root);
  const files = (await readdir(folder, { recursive: true })).filter((file) => file.endsWith('.ts'));
  const texts = await Promise.all(files.map((file) => readFile(new URL(file, folder), 'utf8')));
  const calls = texts.flatMap((text) => [
    ...text.matchAll(/\bclient\s*\.((?:\w+\s*\.\s*)+\w+)\(/g),
  ]);
  return new Set(calls.map(([, path = '']) => path.replace(/\s/g, '')));
}

describe('the manifest', () => {
  it('requests exactly the scopes of the methods and events that the code uses', async () => {
    const { oauth_config, settings } = await readManifest();
    const needed = [...(await methodsInCode())].flatMap((name) => {
      const row = METHOD_SCOPES[name];
      assert.ok(row, `${name} has no row in the table of scopes`);
      return row.scopes;
    });
    const eventScopes = settings.event_subscriptions.bot_events.flatMap((event) => {
      assert.ok(event in EVENT_SCOPES, `${event} has no row in the table of events`);
      return EVENT_SCOPES[event] ?? [];
    });
    const scopes = new Set([...needed, ...eventScopes, COMMAND_SCOPE]);
    assert.deepEqual([...oauth_config.scopes.bot], [...scopes].sort());
  });

  it('has scopes listed here for exactly the methods that the code calls', async () => {
    assert.deepEqual([...(await methodsInCode())].sort(), Object.keys(METHOD_SCOPES));
  });

  it('subscribes to every event that the code reads', async () => {
    const { settings } = await readManifest();
    assert.deepEqual([...settings.event_subscriptions.bot_events], Object.keys(EVENT_SCOPES));
  });

  it('is accepted by Slack: names have at most 35 and 80 characters, Socket Mode and buttons are on', async () => {
    const { display_information, features, settings } = await readManifest();
    assert.equal(display_information.name, 'Countersign');
    assert.ok(features.bot_user.display_name.length <= 80);
    assert.equal(settings.socket_mode_enabled, true);
    assert.equal(settings.interactivity.is_enabled, true);
  });

  // https://docs.slack.dev/ai/migrating-to-agent-messaging
  it('declares an agent with a Messages tab, without the older assistant pane', async () => {
    const { features, settings } = await readManifest();
    const { agent_description: description, ...rest } = features.agent_view;
    assert.ok(description.length > 0 && description.length <= 300);
    assert.deepEqual(rest, {});
    assert.ok(!('assistant_view' in features));
    const { bot_events: events } = settings.event_subscriptions;
    assert.deepEqual(
      events.filter((event) => event.startsWith('assistant_thread')),
      [],
    );
  });

  it('has a Home tab, and a Messages tab that people can write in', async () => {
    const { features } = await readManifest();
    assert.deepEqual(features.app_home, {
      home_tab_enabled: true,
      messages_tab_enabled: true,
      messages_tab_read_only_enabled: false,
    });
  });

  it('declares the slash command that the code answers, in the form that Slack accepts', async () => {
    const { features } = await readManifest();
    const commands = features.slash_commands ?? [];
    assert.deepEqual(
      commands.map(({ command }) => command),
      [COMMAND],
    );
    for (const { description, usage_hint: hint, should_escape: escapes } of commands) {
      // Links must arrive as they were pasted. https://docs.slack.dev/reference/app-manifest
      assert.equal(escapes, false);
      assert.ok(description.length <= 2_000 && hint.length <= 1_000);
    }
  });
});
