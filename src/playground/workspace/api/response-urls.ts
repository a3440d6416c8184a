import { randomBytes } from 'node:crypto';
import type { Hono } from 'hono';
import { announceChange, announcePost, announceRemoval } from '../delivery/message-events.ts';
import { isJson, type Json, parseJson, toText } from '../json-value.ts';
import type { StoredMessage } from '../state/message-store.ts';
import type { WorkspaceCore } from '../workspace-core.ts';
import { IDENTITY } from '../workspace-seed.ts';
import { slackError } from './api-method.ts';
import { keepEphemeral } from './methods/chat-methods.ts';
import { type Draft, editedTs, postAsApp, readDraft } from './post-message.ts';

/** https://docs.slack.dev/interactivity/handling-user-interaction#message_responses */
const USES = 5;
const LIFE_MS = 30 * 60_000;
const GONE = new Set(['expired_url', 'used_url']);

/** The target of a response URL: the person, and the message that was acted on, if any. */
export interface ResponseTarget {
  readonly userId: string;
  readonly channel: string;
  readonly source?: StoredMessage;
}

/** The response URLs of interactions and commands. */
export interface ResponseUrls {
  issue(target: ResponseTarget): string;
  /** Applies the app's answer, as if sent to the URL. Returns Slack's error if it is invalid. */
  respond(target: ResponseTarget, body: Json): Promise<Json | undefined>;
  mount(app: Hono): void;
}

/** Creates the response URLs. They expire by the clock. */
export function createResponseUrls(core: WorkspaceCore): ResponseUrls {
  const issued = new Map<string, { target: ResponseTarget; until: number; left: number }>();

  async function take(id: string, text: string): Promise<Json | undefined> {
    const found = issued.get(id);
    const body = parseJson(text);
    if (found === undefined || found.until <= core.clock.now()) {
      return slackError('expired_url');
    }
    if (found.left === 0) {
      return slackError('used_url');
    }
    found.left -= 1;
    return isJson(body) ? respond(found.target, body) : slackError('invalid_payload');
  }

  async function respond(target: ResponseTarget, body: Json): Promise<Json | undefined> {
    const { source } = target;
    if (body.delete_original === true) {
      return source === undefined ? slackError('no_original') : remove(source);
    }
    // The limit on the total text does not apply here: slackapi/bolt-js#2867.
    const read = readDraft(body, { textLimit: false });
    if ('refusal' in read) {
      return read.refusal;
    }
    return body.replace_original === true && source !== undefined
      ? replace(source, read.draft)
      : postResponse(target, body, read.draft);
  }

  async function postResponse(
    { channel, userId, source }: ResponseTarget,
    body: Json,
    draft: Draft,
  ): Promise<Json | undefined> {
    const threadTs = toText(body.thread_ts) || source?.threadTs;
    const thread = threadTs === undefined ? {} : { threadTs };
    if (body.response_type !== 'in_channel') {
      keepEphemeral(core, { channel, visibleTo: userId, ...draft, ...thread });
      return undefined;
    }
    const posted = await postAsApp(core, core.directory.channel(channel), draft, thread);
    if ('refusal' in posted) {
      return posted.refusal;
    }
    void announcePost(core, posted.message);
    return undefined;
  }

  async function replace(source: StoredMessage, draft: Draft): Promise<Json | undefined> {
    const before = core.messages.find(source.channel, source.ts);
    if (before === undefined) {
      return slackError('message_not_found');
    }
    let ts = core.nextTs();
    if (before.visibleTo === undefined) {
      const { channel } = before;
      const args = { channel, ts: before.ts, ...draft };
      const answer = await core.backend.call(IDENTITY.app.botUserId, 'chat.update', args);
      if (answer.ok !== true) {
        return answer;
      }
      ts = editedTs(core, answer);
    }
    const after = { ...before, ...draft, edited: { user: before.user, ts } };
    core.messages.put(after);
    if (before.visibleTo === undefined) {
      void announceChange(core, before, after);
    }
    return undefined;
  }

  async function remove(source: StoredMessage): Promise<Json | undefined> {
    const { channel, ts, visibleTo } = source;
    if (visibleTo === undefined) {
      const args = { channel, ts };
      const answer = await core.backend.call(IDENTITY.app.botUserId, 'chat.delete', args);
      if (answer.ok !== true) {
        return answer;
      }
      void announceRemoval(core, source);
    }
    core.messages.remove(channel, ts);
    return undefined;
  }

  return {
    issue: (target) => {
      const id = randomBytes(12).toString('hex');
      issued.set(id, { target, until: core.clock.now() + LIFE_MS, left: USES });
      return `${core.url}/response/${id}`;
    },
    respond,
    mount: (app) => {
      app.post('/response/:id', async (c) => {
        const text = await c.req.text();
        const finish = core.journal.open('response_url', 'response_url', parseJson(text) ?? text);
        const refusal = await take(c.req.param('id'), text);
        finish({
          ok: refusal === undefined,
          answer: refusal ?? 'ok',
          ...(refusal === undefined
            ? {}
            : { problem: [refusal.error, ...toErrors(refusal)].join('; ') }),
        });
        if (refusal === undefined) {
          return c.text('ok');
        }
        return c.json(refusal, GONE.has(toText(refusal.error)) ? 404 : 400);
      });
    },
  };
}

function toErrors(refusal: Json): readonly unknown[] {
  return Array.isArray(refusal.errors) ? refusal.errors : [];
}
