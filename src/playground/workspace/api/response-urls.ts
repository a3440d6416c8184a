import { randomBytes } from 'node:crypto';
import type { Hono } from 'hono';
import { isJson, type Json, parseJson, toText } from '../json-value.ts';
import type { WorkspaceCore } from '../workspace-core.ts';
import { slackError } from './api-method.ts';
import { applyResponse, type ResponseTarget } from './apply-response.ts';

/** https://docs.slack.dev/interactivity/handling-user-interaction#message_responses */
const USES = 5;
const LIFE_MS = 30 * 60_000;
const GONE = new Set(['expired_url', 'used_url']);

/** The response URLs of interactions and commands. */
export interface ResponseUrls {
  issue(target: ResponseTarget): string;
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
    return isJson(body) ? applyResponse(core, found.target, body) : slackError('invalid_payload');
  }

  return {
    issue: (target) => {
      const id = randomBytes(12).toString('hex');
      issued.set(id, { target, until: core.clock.now() + LIFE_MS, left: USES });
      return `${core.url}/response/${id}`;
    },
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
