import { type Json, toText } from '../../json-value.ts';
import type { AgentSession, AgentSessions, SessionStatus } from '../../state/agent-sessions.ts';
import type { WorkspaceCore } from '../../workspace-core.ts';
import { type ApiMethod, type ApiMethods, slackError, slackOk } from '../api-method.ts';
import { findWritable } from '../post-message.ts';

const STATUSES: ReadonlySet<unknown> = new Set<SessionStatus>([
  'active',
  'processing',
  'suspended',
  'closed',
]);

/** https://docs.slack.dev/reference/methods/agents.sessions.setStatus */
const MAX_TITLE = 200;

/** The `agents.sessions.*` methods. Apps with `assistant_view` have no sessions. */
export function createSessionMethods(core: WorkspaceCore, sessions: AgentSessions): ApiMethods {
  const inThread =
    (act: (place: Pick<AgentSession, 'channel' | 'threadTs'>, args: Json) => Json): ApiMethod =>
    async (args) => {
      if (core.form === 'assistant') {
        return slackError('feature_disabled');
      }
      const writable = await findWritable(core, toText(args.channel_id));
      if ('refusal' in writable) {
        return toRefusal(writable.refusal);
      }
      const threadTs = toText(args.thread_ts);
      return threadTs === ''
        ? slackError('thread_ts_required')
        : act({ channel: writable.channel.id, threadTs }, args);
    };

  return {
    'agents.sessions.setStatus': inThread((place, args) => {
      if (!isStatus(args.status)) {
        return slackError('invalid_status');
      }
      const title = toText(args.title);
      if (title.length > MAX_TITLE) {
        return slackError('invalid_arguments', { errors: ['title is too long'] });
      }
      const existing = sessions.find(place.channel, place.threadTs);
      sessions.set({
        ...place,
        status: args.status,
        ...(existing === undefined && title !== '' ? { title: storedTitle(title) } : {}),
      });
      return slackOk({
        status: args.status,
        agent_status: args.status,
        title: sessions.find(place.channel, place.threadTs)?.title ?? '',
      });
    }),
    'agents.sessions.rename': inThread((place, args) => {
      const title = toText(args.title);
      if (sessions.find(place.channel, place.threadTs) === undefined) {
        return slackError('session_not_found');
      }
      if (title === '' || title.length > MAX_TITLE) {
        return slackError('invalid_name');
      }
      sessions.set({ ...place, title: storedTitle(title) });
      return slackOk({ title: storedTitle(title) });
    }),
  };
}

/** https://docs.slack.dev/reference/methods/agents.sessions.setStatus */
function toRefusal(refusal: Json): Json {
  return refusal.error === 'not_in_channel' ? slackError('not_authorized') : refusal;
}

/** Returns whether the value is a valid session status. */
export function isStatus(status: unknown): status is SessionStatus {
  return STATUSES.has(status);
}

/** Observed: Slack replaces a colon in a title with an underscore. */
function storedTitle(title: string): string {
  return title.replaceAll(':', '_');
}
