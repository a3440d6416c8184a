import { randomBytes } from 'node:crypto';
import { Hono } from 'hono';
import type { App, AppDeps } from '../app/app-deps.ts';
import { createReleasers } from '../app/releasers.ts';
import type { PlaygroundConfig } from '../config/config.ts';
import { addressOf } from '../net/open-server.ts';
import { openEarlyServer } from './early-server.ts';
import { bundlePage } from './page-bundle.ts';
import { isLoopback } from './page-guard.ts';
import { mountFiles, PAGE_FILES, type PageAccess } from './page-server.ts';

const OPEN_TO_OTHERS =
  'HOST opens the playground to other machines, without encryption. Anyone with the full printed address can act as any person in it.';

/** The app, and the URL of its page. */
export interface Playground extends App {
  readonly pageUrl: string;
}

/**
 * Starts the real app on a simulated workspace, with its page, and a scripted model if no other is
 * set. `onPage` gets the page's URL as soon as it can be opened; until then the page says that it
 * is starting.
 */
export async function startPlayground(
  config: PlaygroundConfig,
  deps: AppDeps,
  onPage: (url: string) => void = () => undefined,
): Promise<Playground> {
  const releasers = createReleasers(deps.log);
  try {
    const bundling = bundlePage();
    const access = toAccess(config, deps.log);
    const pageApp = new Hono();
    mountFiles(pageApp, bundling, access);
    const [early] = await Promise.all([
      openEarlyServer({ ...config, ...config.http }, pageApp, PAGE_FILES),
      bundling,
    ]);
    releasers.add(early.close);
    const { url } = addressOf(early.server, config.host);
    const pageUrl = `${url}/${access.token === undefined ? '' : `?token=${access.token}`}`;
    onPage(pageUrl);
    // Loaded late, because the backend is large and the page should open first.
    const { openPlaygroundBackend: openBackend } = await import('./open-backend.ts');
    const app = await openBackend(
      config,
      { ...deps, listening: early.server },
      { access, bundling },
    );
    releasers.add(app.stop);
    early.open();
    return { ...app, pageUrl, stop: releasers.releaseAll };
  } catch (error) {
    await releasers.releaseAll();
    throw error;
  }
}

function toAccess({ host }: PlaygroundConfig, log: AppDeps['log']): PageAccess {
  const allowedHosts = [host.toLowerCase()];
  if (isLoopback(host)) return { allowedHosts };
  log.warn({ host }, OPEN_TO_OTHERS);
  return { allowedHosts, token: randomBytes(32).toString('base64url') };
}
