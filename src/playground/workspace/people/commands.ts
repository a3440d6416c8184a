import { applyResponse, type ResponseTarget } from '../api/apply-response.ts';
import { openDirectMessage, postAsApp } from '../api/post-message.ts';
import { isJson, type Json, toText } from '../json-value.ts';
import type { AgentSessions } from '../state/agent-sessions.ts';
import type { DirectoryChannel, DirectoryMember } from '../state/slack-directory.ts';
import { toSlackView } from '../views/views.ts';
import type { WorkspaceCore } from '../workspace-core.ts';
import type { Workspace } from '../workspace-port.ts';
import { IDENTITY } from '../workspace-seed.ts';
import type { PeopleContext } from './interaction-context.ts';

/** People's actions from the keyboard and the sidebar. */
export type CommandActions = Pick<
  Workspace,
  'command' | 'openHome' | 'openMessages' | 'openAssistant'
>;

/** Creates the actions for slash commands and for opening the app's tabs. */
export function createCommandActions(
  context: PeopleContext,
  sessions: AgentSessions,
): CommandActions {
  const { core, triggers, responseUrls, toasts } = context;

  const command: Workspace['command'] = async (name, channelName, word, text, options = {}) => {
    const member = core.directory.member(name);
    const channel = core.directory.channel(channelName);
    if (!channel.members.includes(member.id)) {
      throw new Error(`${member.name} is not in ${channel.name}.`);
    }
    if (options.threadTs !== undefined) {
      const refusal = `${word} is not supported in threads. Sorry!`;
      toasts.show(member.id, refusal);
      return { kind: 'blocked', errors: { '': refusal } };
    }
    const target = { userId: member.id, channel: channel.id };
    const ack = await core.delivery.command({
      ...describeCommand(core, member, channel),
      command: word,
      text,
      response_url: responseUrls.issue(target),
      trigger_id: triggers.issue({ userId: member.id }),
    });
    if (ack.kind === 'acknowledged') {
      await showAnswer(context, target, word, ack.body);
    } else {
      toasts.show(member.id, `${word} failed because the app did not respond.`);
    }
    return ack;
  };

  return {
    command,
    openAssistant: (name) => openAssistantPane(core, sessions, name),
    openHome: async (name) => {
      await openTab(context, name, 'home');
    },
    openMessages: (name) => openTab(context, name, 'messages'),
  };
}

/** Returns who typed a command, and where. */
function describeCommand(
  { enterprise }: WorkspaceCore,
  member: DirectoryMember,
  channel: DirectoryChannel,
): Json {
  const { team, app } = IDENTITY;
  return {
    token: 'playground-verification-token',
    team_id: team.id,
    team_domain: team.domain,
    channel_id: channel.id,
    channel_name: channel.kind === 'im' ? 'directmessage' : channel.name,
    user_id: member.id,
    user_name: member.name,
    api_app_id: app.id,
    ...(enterprise === undefined ? {} : { enterprise_id: enterprise }),
    is_enterprise_install: false,
  };
}

/** Shows the app's answer to a command. */
async function showAnswer(
  { core, toasts }: PeopleContext,
  target: ResponseTarget,
  word: string,
  answer: unknown,
): Promise<void> {
  const body = typeof answer === 'string' ? { text: answer } : answer;
  if (!isJson(body) || (toText(body.text) === '' && body.blocks === undefined)) {
    return;
  }
  const refusal = await applyResponse(core, target, body);
  if (refusal !== undefined) {
    toasts.show(target.userId, `${word} failed with the error "invalid_command_response".`);
    core.journal.note('command', `${word} answer`, body, {
      ok: false,
      problem: JSON.stringify(refusal),
    });
  }
}

/** https://docs.slack.dev/reference/events/app_home_opened */
async function openTab(
  { core, views }: PeopleContext,
  name: string,
  tab: 'home' | 'messages',
): Promise<{ channel: string }> {
  const member = core.directory.member(name);
  const channel = (await openDirectMessage(core, member.id))?.id ?? '';
  const home = tab === 'home' ? views.homeOf(member.id) : undefined;
  await core.delivery.event({
    type: 'app_home_opened',
    user: member.id,
    channel,
    tab,
    event_ts: core.nextTs(),
    ...(home === undefined ? {} : { view: toSlackView(home) }),
  });
  return { channel };
}

async function openAssistantPane(core: WorkspaceCore, sessions: AgentSessions, name: string) {
  if (core.form === 'agent') {
    throw new Error('An app with agent_view has no assistant pane.');
  }
  const member = core.directory.member(name);
  const dm = await openDirectMessage(core, member.id);
  // Slack itself starts the thread in the app's name.
  const draft = { text: 'New Assistant Thread', blocks: [] };
  const posted = dm === undefined ? undefined : await postAsApp(core, dm, draft);
  if (posted === undefined || 'refusal' in posted) {
    throw new Error(`The assistant pane of ${name} could not be opened.`);
  }
  const { channel, ts } = posted.message;
  sessions.set({ channel, threadTs: ts });
  await core.delivery.event({
    type: 'assistant_thread_started',
    assistant_thread: { user_id: member.id, context: {}, channel_id: channel, thread_ts: ts },
    event_ts: core.nextTs(),
  });
  return { channel, threadTs: ts };
}
