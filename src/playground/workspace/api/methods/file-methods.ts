import type { Context, Hono } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { announcePost } from '../../delivery/message-events.ts';
import { isJson, type Json, toRecords, toText } from '../../json-value.ts';
import type { StoredMessage } from '../../state/message-store.ts';
import type { WorkspaceCore } from '../../workspace-core.ts';
import type { ApiFault } from '../../workspace-port.ts';
import { IDENTITY } from '../../workspace-seed.ts';
import type { ApiMethods } from '../api-method.ts';
import { findWritable } from '../post-message.ts';

/** The method that completes an upload: the file becomes a message of the app. */
export function createFileMethods(core: WorkspaceCore): ApiMethods {
  const method = 'files.completeUploadExternal';
  return {
    [method]: async (args): Promise<Json> => {
      const channelId = toText(args.channel_id);
      const writable = channelId === '' ? undefined : await findWritable(core, channelId);
      if (writable !== undefined && 'refusal' in writable) {
        return writable.refusal;
      }
      const answer = await core.backend.call(IDENTITY.app.botUserId, method, args);
      if (answer.ok === true) {
        keepShares(core, args, answer);
      }
      return answer;
    },
  };
}

function keepShares(core: WorkspaceCore, args: Json, answer: Json): void {
  const threadTs = toText(args.thread_ts);
  for (const { channel, ts } of sharesOf(answer)) {
    const message: StoredMessage = {
      channel,
      ts,
      ...(threadTs === '' ? {} : { threadTs }),
      user: IDENTITY.app.botUserId,
      team: IDENTITY.team.id,
      byApp: true,
      text: toText(args.initial_comment),
      blocks: [],
      files: toRecords(answer.files),
      reactions: [],
      streaming: false,
    };
    core.messages.put(message);
    void announcePost(core, message);
  }
}

/**
 * Returns where the first file of an upload was shared. All files of an upload are in one message.
 */
export function sharesOf(answer: Json): readonly { channel: string; ts: string }[] {
  const [first] = toRecords(answer.files);
  const kinds = isJson(first?.shares) ? Object.values(first.shares).filter(isJson) : [];
  return kinds.flatMap((byChannel) =>
    Object.entries(byChannel).flatMap(([channel, shares]) =>
      toRecords(shares).map((share) => ({ channel, ts: toText(share.ts) })),
    ),
  );
}

/** Slack answers with an HTML page and status 200 if an app may not read files. */
function faultyFile(c: Context, fault: ApiFault): Response | Promise<Response> {
  if (fault.kind === 'rate-limited') {
    return c.text('ratelimited', 429, { 'retry-after': String(fault.retryAfterS) });
  }
  if (fault.kind === 'status') {
    return c.html(fault.body ?? '', fault.status as ContentfulStatusCode);
  }
  return fault.kind === 'hang' ? new Promise(() => undefined) : c.text('file_not_found', 404);
}

/**
 * Serves the bytes of uploads and files. Files need the bot token. Faults of `files-pri` apply to
 * downloads.
 */
export function mountFiles(app: Hono, core: WorkspaceCore): void {
  app.post('/upload/v1/:file', async (c) => {
    const body = new Uint8Array(await c.req.arrayBuffer());
    const type = c.req.header('content-type') ?? 'application/octet-stream';
    const answer = await core.backend.upload(c.req.param('file'), body, type);
    return c.body(await answer.text(), answer.ok ? 200 : 400);
  });
  app.get('/files-pri/:file/:name', async (c) => {
    if (c.req.header('authorization') !== `Bearer ${IDENTITY.botToken}`) {
      // Slack shows its sign-in page with status 200. A 401 is easier to notice.
      return c.text('invalid_auth', 401);
    }
    const { file, name } = c.req.param();
    const fault = core.faults.takeApi('files-pri');
    if (fault !== undefined) return faultyFile(c, fault);
    const answer = await core.backend.download(IDENTITY.app.botUserId, file, name);
    if (!answer.ok) {
      return c.text('file_not_found', 404);
    }
    const type = answer.headers.get('content-type') ?? 'application/octet-stream';
    return c.body(await answer.arrayBuffer(), 200, { 'content-type': type });
  });
}
