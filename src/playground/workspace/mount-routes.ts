import type { HttpBindings } from '@hono/node-server';
import { Hono } from 'hono';
import { mountApi } from './api/api-server.ts';
import { createAssistantMethods } from './api/methods/assistant-methods.ts';
import { createChatMethods } from './api/methods/chat-methods.ts';
import { createConversationMethods } from './api/methods/conversation-methods.ts';
import { createFileMethods, mountFiles } from './api/methods/file-methods.ts';
import { createMembershipMethods } from './api/methods/membership-methods.ts';
import { createSessionMethods } from './api/methods/session-methods.ts';
import { createSocketMethods } from './api/methods/socket-methods.ts';
import type { Streams } from './api/methods/stream-methods.ts';
import { createUserMethods } from './api/methods/user-methods.ts';
import { createViewMethods } from './api/methods/view-methods.ts';
import type { SocketHub } from './delivery/socket-hub.ts';
import type { PeopleContext } from './people/interaction-context.ts';
import type { AgentSessions } from './state/agent-sessions.ts';
import type { ThreadStatuses } from './state/thread-statuses.ts';

/** Serves Slack's API, the response URLs, files and the routes of the page. */
export function mountRoutes(
  app: Hono<{ Bindings: HttpBindings }>,
  context: PeopleContext,
  parts: {
    readonly statuses: ThreadStatuses;
    readonly sessions: AgentSessions;
    readonly streams: Streams;
    readonly sockets: SocketHub;
  },
  extraRoutes: ((app: Hono) => void) | undefined,
): void {
  const { core } = context;
  mountApi(app, core, {
    ...createUserMethods(core.directory, core.teamName, core.enterprise),
    ...createConversationMethods(core),
    ...createMembershipMethods(core),
    ...createChatMethods(core, parts.statuses),
    ...parts.streams.methods,
    ...createAssistantMethods(core, parts.statuses, parts.sessions),
    ...createSessionMethods(core, parts.sessions),
    ...createFileMethods(core),
    ...createViewMethods(context.views, context.triggers, core.directory),
    ...createSocketMethods(core.url, parts.sockets),
  });
  const others = new Hono();
  context.responseUrls.mount(others);
  mountFiles(others, core);
  extraRoutes?.(others);
  app.route('/', others);
  app.onError((error, c) => {
    core.journal.note('api', 'broken', { path: c.req.path }, { ok: false, problem: error.message });
    return c.text('fatal_error', 500);
  });
}
