import { join } from 'node:path';
import { Hono } from 'hono';
import type { App, AppDeps } from '../app/app-deps.ts';
import { createApp } from '../app/create-app.ts';
import { createReleasers } from '../app/releasers.ts';
import type { PlaygroundConfig, SlackModeConfig } from '../config/config.ts';
import type { ModelConfig } from '../config/model-config.ts';
import { createExample, findWaitingExample } from './create-example.ts';
import { createExampleProgram } from './example-program.ts';
import { listWorkspaceFiles } from './list-files.ts';
import type { Persona } from './page/state/page-start.ts';
import type { PageBundle } from './page-bundle.ts';
import { mountPage, type PageAccess } from './page-server.ts';
import { createScriptedModel } from './script/scripted-model.ts';
import { createShopTools } from './shop/shop-tools.ts';
import { openStock } from './shop/stock.ts';
import { createTrySuggestions, type TrySuggestions } from './suggestions.ts';
import { createWorkspace } from './workspace/create-workspace.ts';
import { openPersistedFile } from './workspace/state/persisted-state.ts';
import type { Workspace } from './workspace/workspace-port.ts';

const PEOPLE: readonly Persona[] = [
  { name: 'requester', note: 'Asks the agent and decides the resulting calls' },
  {
    name: 'approver',
    note: 'A colleague in @ops-approvers: decides their own calls, and those routed to the group',
  },
  { name: 'outsider', note: 'Only in #general; clicks buttons that are not theirs' },
  { name: 'admin', note: 'Sets routes on the app’s Home tab; in @ops-approvers too' },
];

/**
 * Opens the backend of the page: the simulated workspace, the app in it, and a scripted model if no
 * other is set.
 */
export async function openPlaygroundBackend(
  config: PlaygroundConfig,
  deps: AppDeps,
  page: { readonly access: PageAccess; readonly bundling: Promise<PageBundle> },
): Promise<App> {
  const releasers = createReleasers(deps.log);
  try {
    const state = openPersistedFile(join(config.dataDir, 'playground.jsonl'));
    releasers.add(async () => state.close());
    const workspace = await createWorkspace({ clock: deps.clock, kept: state });
    releasers.add(() => workspace.stop());
    workspace.deliverTo({ kind: 'socket' });
    const isScripted = !config.model && !config.graph;
    const script = isScripted ? await createScriptedModel() : undefined;
    if (script) releasers.add(() => script.stop());
    const model = config.model ?? {
      provider: 'openai',
      name: 'scripted',
      ...(script && { apiKey: script.apiKey, baseUrl: script.baseUrl }),
    };
    let setSuggestions: (suggestions: TrySuggestions) => void = () => undefined;
    const suggestionsReady = new Promise<TrySuggestions>((resolve) => {
      setSuggestions = resolve;
    });
    const routes = new Hono();
    // Wait until the workspace is complete before showing it.
    routes.use('/ui/*', async (_, next) => {
      await suggestionsReady;
      await next();
    });
    const options = {
      ...page.access,
      scriptedModel: script !== undefined,
      tryOuts: suggestionsReady,
      opens: () => findWaitingExample(workspace),
      people: PEOPLE,
      files: () => listWorkspaceFiles(config.workspaceDir),
    };
    await mountPage(routes, () => workspace, options, page.bundling);
    const app = await createApp(toSlackConfig(config, workspace, model), {
      ...deps,
      tools: createShopTools(state),
      // The scripted model only answers its own scenarios.
      overrides: { ...deps.overrides, ...(isScripted && { checksModel: false }) },
      extraRoutes: (all) => {
        all.route('/', routes);
        deps.extraRoutes?.(all);
      },
    });
    releasers.add(app.stop);
    state.compact();
    const { clock, log } = deps;
    const program = createExampleProgram({ app, stock: openStock(state), clock, log });
    releasers.add(() => program.stop());
    // Skipped with a policy file, which may send cards elsewhere or to nobody.
    if (isScripted && config.policyFile === undefined) {
      await createExample(workspace, state).catch((error: unknown) => {
        log.warn({ err: error }, 'The playground’s example could not be created.');
      });
    }
    setSuggestions(
      createTrySuggestions({ workspace, app, program, hasAgent: config.graph === undefined }),
    );
    return { ...app, stop: releasers.releaseAll };
  } catch (error) {
    await releasers.releaseAll();
    throw error;
  }
}

function toSlackConfig(
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
