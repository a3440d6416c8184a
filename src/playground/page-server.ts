/**
 * Serves the playground page over HTTP: what a person sees as JSON, their actions as POST requests.
 */
import type { Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { streamSSE } from 'hono/streaming';
import { z } from 'zod';
import type { PageStart, Persona, WorkspaceFile } from './page/state/page-start.ts';
import { PAGE_ACTIONS } from './page-actions.ts';
import { bundlePage, type PageBundle } from './page-bundle.ts';
import { guardOrigin, guardToken } from './page-guard.ts';
import type { TrySuggestions } from './suggestions.ts';
import type { Workspace } from './workspace/workspace-port.ts';

/** Access control of the page. */
export interface PageAccess {
  /** Allowed host names, in lower case without port. (Default: localhost and any IP address.) */
  readonly allowedHosts?: readonly string[];
  /** The token that visitors need, if other machines can reach the page. */
  readonly token?: string;
}

/** What the page shows beside the workspace. */
export interface PageOptions extends PageAccess {
  /** Whether to show that the model's answers are scripted. */
  readonly scriptedModel: boolean;
  /** The current files in the agent's workspace folder. */
  files(): Promise<readonly WorkspaceFile[]>;
  readonly tryOuts: Promise<TrySuggestions>;
  /** The thread to open first. */
  opens?(): PageStart['opens'];
  /** The people that the viewer can act as. The first is selected at the start. */
  readonly people: readonly Persona[];
}

const SECURITY_HEADERS = {
  'content-security-policy':
    "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
} as const;

const MAX_BODY_BYTES = 8_000_000;
const JOURNAL_PAGE = 300;
/** Changes within this time are sent as one. */
const COALESCE_MS = 40;

/** The files of the page. Its other requests are under `/ui/`. */
export const PAGE_FILES = ['/', '/page.js', '/page.css'] as const;

/** Serves the page's files once the page is bundled. */
export function mountFiles(app: Hono, bundling: Promise<PageBundle>, access: PageAccess): void {
  const guard = guardOrigin(access.allowedHosts ?? []);
  for (const path of [...PAGE_FILES, '/ui/*']) {
    app.use(path, async (c, next) => {
      await next();
      for (const [name, value] of Object.entries(SECURITY_HEADERS)) c.header(name, value);
    });
    app.use(path, guard);
    if (access.token !== undefined) app.use(path, guardToken(access.token));
  }
  app.get('/', async (c) => c.html((await bundling).html));
  app.get('/page.js', async (c) =>
    c.body((await bundling).script, 200, { 'content-type': 'text/javascript' }),
  );
  app.get('/page.css', async (c) =>
    c.body((await bundling).style, 200, { 'content-type': 'text/css' }),
  );
}

/**
 * Mounts the page and its requests. Resolves when the page is bundled, rejects if bundling fails.
 */
export async function mountPage(
  app: Hono,
  workspace: () => Workspace,
  options: PageOptions,
  bundling: Promise<PageBundle> = bundlePage(),
): Promise<void> {
  mountFiles(app, bundling, options);
  app.get('/ui/start', async (c) => c.json(await pageStart(workspace(), options)));
  app.get('/ui/sight', (c) =>
    answer(c, async () => workspace().see(z.string().min(1).parse(c.req.query('as')))),
  );
  app.get('/ui/journal', (c) =>
    answer(c, async () => {
      const after = z.coerce.number().int().min(0).parse(c.req.query('after'));
      return workspace()
        .journal.filter((entry) => entry.seq > after)
        .slice(-JOURNAL_PAGE);
    }),
  );
  app.get('/ui/files', (c) => answer(c, () => options.files()));
  app.get('/ui/changes', (c) => streamChanges(c, workspace()));
  for (const [name, action] of Object.entries(PAGE_ACTIONS)) {
    app.post(`/ui/${name}`, bodyLimit({ maxSize: MAX_BODY_BYTES }), (c) =>
      answer(c, async () => action.run(workspace(), await readJson(c))),
    );
  }
  app.post('/ui/try', bodyLimit({ maxSize: MAX_BODY_BYTES }), (c) =>
    answer(c, async () => {
      const { as, channel, label } = TryBody.parse(await readJson(c));
      return await (await options.tryOuts).run(as, channel, label);
    }),
  );
  await bundling;
}

const TryBody = z.strictObject({ as: z.string(), channel: z.string(), label: z.string() });

async function pageStart(workspace: Workspace, options: PageOptions): Promise<PageStart> {
  const { team, app } = workspace;
  const opens = options.opens?.();
  return {
    team: { id: team.id, name: team.name },
    app: { id: app.id, botUserId: app.botUserId, name: app.name },
    people: options.people,
    scriptedModel: options.scriptedModel,
    suggestions: (await options.tryOuts).list(),
    ...(opens && { opens }),
  };
}

/** The request body is not JSON. */
class UnreadableBodyError extends Error {
  override readonly name = 'UnreadableBodyError';
}

// A form on another site cannot send this content type without a CORS preflight.
async function readJson(c: Context): Promise<unknown> {
  if (!c.req.header('content-type')?.startsWith('application/json')) {
    throw new UnreadableBodyError('The body must be JSON, with content-type application/json.');
  }
  const body = await c.req.text();
  try {
    return JSON.parse(body);
  } catch (cause) {
    throw new UnreadableBodyError('The body is not JSON.', { cause });
  }
}

/**
 * Responds with the result, or with an error: 400 for an invalid request, 409 if it is not possible
 * now.
 */
async function answer(c: Context, run: () => Promise<unknown>): Promise<Response> {
  try {
    return c.json((await run()) ?? null);
  } catch (error) {
    if (error instanceof z.ZodError) return c.json({ error: z.prettifyError(error) }, 400);
    if (error instanceof UnreadableBodyError) return c.json({ error: error.message }, 400);
    return c.json({ error: error instanceof Error ? error.message : String(error) }, 409);
  }
}

function streamChanges(c: Context, workspace: Workspace): Response {
  return streamSSE(c, async (stream) => {
    let hasChanges = true;
    let wake = () => {};
    const unsubscribe = workspace.onChange(() => {
      hasChanges = true;
      wake();
    });
    stream.onAbort(() => {
      unsubscribe();
      wake();
    });
    while (!stream.aborted) {
      if (hasChanges) {
        hasChanges = false;
        await stream.writeSSE({ event: 'change', data: String(workspace.journal.length) });
        await stream.sleep(COALESCE_MS);
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  });
}
