import { randomBytes } from 'node:crypto';
import { Hono } from 'hono';
import { type App, type AppDeps, createApp } from '../app.ts';
import type { PlaygroundConfig, SlackModeConfig } from '../config.ts';
import type { ModelConfig } from '../model-config.ts';
import { createReleasers } from '../releasers.ts';
import type { Persona } from './page/page-start.ts';
import { isLoopback } from './page-guard.ts';
import { mountPage } from './page-server.ts';
import { readFiles } from './read-files.ts';
import { createScriptedModel } from './scripted-model.ts';
import { createWorkspace } from './workspace/create-workspace.ts';
import type { Workspace } from './workspace/workspace-port.ts';

const PEOPLE: readonly Persona[] = [
  { name: 'requester', note: 'Asks the agent, and decides the calls that come of it' },
  {
    name: 'approver',
    note: 'A colleague in @ops-approvers: decides their own calls, and what a route gives the group',
  },
  { name: 'outsider', note: 'In #general only; presses what is not theirs' },
  { name: 'admin', note: 'Sets routes on the app’s Home tab; in @ops-approvers too' },
];

const OPEN_TO_OTHERS =
  'HOST opens the playground to other machines, without encryption. Whoever has the whole address that is printed can act as anybody in it.';

/** The app, and the address that opens its page. */
export interface Playground extends App {
  readonly pageUrl: string;
}

/** Starts the app as it is on a simulated workspace, with the page that shows it, and a scripted model when there is no other. */
export async function startPlayground(
  config: PlaygroundConfig,
  deps: AppDeps,
): Promise<Playground> {
  const releasers = createReleasers(deps.log);
  try {
    const workspace = await createWorkspace({ clock: deps.clock });
    releasers.add(() => workspace.stop());
    workspace.deliverTo({ kind: 'socket' });
    const isScripted = !config.model && !config.graph;
    const script = isScripted ? await createScriptedModel() : undefined;
    if (script) releasers.add(() => script.stop());
    const token = isLoopback(config.host) ? undefined : randomBytes(32).toString('base64url');
    if (token !== undefined) deps.log.warn({ host: config.host }, OPEN_TO_OTHERS);
    const page = new Hono();
    await mountPage(page, () => workspace, {
      scriptedModel: script !== undefined,
      suggestions: script?.suggestions ?? [],
      people: PEOPLE,
      files: () => readFiles(config.workspaceDir),
      allowedHosts: [config.host.toLowerCase()],
      ...(token !== undefined && { token }),
    });
    const model = config.model ?? {
      provider: 'openai',
      name: 'scripted',
      ...(script && { apiKey: script.apiKey, baseUrl: script.baseUrl }),
    };
    const app = await createApp(joining(config, workspace, model), {
      ...deps,
      // The script knows its scenes alone.
      overrides: { ...deps.overrides, ...(isScripted && { checksModel: false }) },
      extraRoutes: (routes) => {
        routes.route('/', page);
        deps.extraRoutes?.(routes);
      },
    });
    releasers.add(() => app.stop());
    const pageUrl = `${app.url}/${token === undefined ? '' : `?token=${token}`}`;
    return { url: app.url, pageUrl, stop: releasers.releaseAll };
  } catch (error) {
    await releasers.releaseAll();
    throw error;
  }
}

function joining(
  config: PlaygroundConfig,
  { botToken, appToken, apiUrl }: Workspace,
  model: ModelConfig,
): SlackModeConfig {
  return {
    ...config,
    mode: 'slack',
    model,
    slack: { delivery: 'socket', botToken, appToken, apiUrl },
  };
}
