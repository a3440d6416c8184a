import { LIMITS } from '../../blocks/limits.ts';
import { type Json, toRecords, toText } from '../../json-value.ts';
import type { AgentSessions } from '../../state/agent-sessions.ts';
import type { ThreadStatuses } from '../../state/thread-statuses.ts';
import type { WorkspaceCore } from '../../workspace-core.ts';
import { type ApiMethod, type ApiMethods, slackError, slackOk } from '../api-method.ts';
import { findWritable } from '../post-message.ts';

/** The `assistant.threads.*` methods. */
export function createAssistantMethods(
  core: WorkspaceCore,
  statuses: ThreadStatuses,
  sessions: AgentSessions,
): ApiMethods {
  const inThread =
    (act: (channel: string, threadTs: string, args: Json) => Json): ApiMethod =>
    async (args) => {
      const writable = await findWritable(core, toText(args.channel_id));
      if ('refusal' in writable) {
        return writable.refusal;
      }
      return act(writable.channel.id, toText(args.thread_ts), args);
    };
  return {
    'assistant.threads.setStatus': inThread((channel, threadTs, args) => {
      const { loading_messages: loading = [], status } = args;
      if (!Array.isArray(loading) || loading.length > LIMITS.loadingMessages.max) {
        return slackError('invalid_arguments', { errors: ['too many loading_messages'] });
      }
      if (threadTs === '' || typeof status !== 'string') {
        return slackError('invalid_arguments', { errors: ['thread_ts and status are required'] });
      }
      statuses.set({ channel, threadTs, status });
      // Maps the older API to sessions: https://docs.slack.dev/ai/migrating-to-agent-messaging
      if (core.form === 'agent') {
        sessions.set({ channel, threadTs, status: status === '' ? 'active' : 'processing' });
      }
      return slackOk();
    }),
    'assistant.threads.setTitle': inThread((channel, threadTs, args) => {
      if (threadTs === '' || toText(args.title) === '') {
        return slackError('invalid_arguments', { errors: ['thread_ts and title are required'] });
      }
      sessions.set({ channel, threadTs, title: toText(args.title) });
      return slackOk();
    }),
    'assistant.threads.setSuggestedPrompts': inThread((channel, threadTs, args) => {
      if (core.form === 'assistant' && threadTs === '') {
        return slackError('invalid_thread_ts');
      }
      const prompts = toRecords(args.prompts).map(({ title, message }) => ({
        title: toText(title),
        message: toText(message),
      }));
      const { min, max } = LIMITS.suggestedPrompts;
      if (prompts.length < min || prompts.length > max) {
        return slackError('invalid_arguments', { errors: [`prompts must be ${min} to ${max}`] });
      }
      sessions.offer({ channel, ...(threadTs === '' ? {} : { threadTs }), prompts });
      return slackOk();
    }),
  };
}
