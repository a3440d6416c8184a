import {
  type ChatModel,
  type ChatModelOptions,
  createChatModel,
  ModelSettingError,
  splitModelName,
} from '../model.ts';
import { anthropic } from './anthropic.ts';
import { deepseek, groq, xai } from './completions.ts';
import { probeProvider } from './probe-provider.ts';
import type { Provider } from './provider.ts';
import { sayRefused } from './refused-providers.ts';

const PROVIDERS: Readonly<Record<string, Provider>> = { anthropic, deepseek, groq, xai };

/** Imports a package; rejects as `import` does when it is not there. */
export type LoadPackage = (name: string) => Promise<unknown>;

/**
 * Opens the model that a setting names, with its provider's package when it is not OpenAI's; rejects
 * with a `ModelSettingError` that says why not, and what to do, when its arguments can't be read as
 * the model wrote them.
 */
export async function loadChatModel(
  options: ChatModelOptions,
  load: LoadPackage = (name) => import(name),
): Promise<ChatModel> {
  const { provider: id, name } = splitModelName(options.model);
  if (id === 'openai') return createChatModel(options);
  const provider = Object.hasOwn(PROVIDERS, id) ? PROVIDERS[id] : undefined;
  if (!provider) throw new ModelSettingError(sayRefused(id, name));
  const variables = { key: `${id.toUpperCase()}_API_KEY`, baseUrl: `${id.toUpperCase()}_BASE_URL` };
  const { apiKey, baseUrl, timeoutMs, maxRetries } = options;
  if (!apiKey && !baseUrl) {
    throw new ModelSettingError(
      `${variables.key} is not set, and MODEL names ${id}. Set it, or ${variables.baseUrl} to a server that needs none.`,
    );
  }
  const exported = await loadPackage(provider, load);
  const problem = await probeProvider(provider, exported);
  if (problem !== undefined) {
    throw new ModelSettingError(
      `MODEL names ${id}, but ${provider.package} as it is installed can’t be used: ${problem}. Install the version that was tested: ${installLine(provider)}`,
    );
  }
  const access = { model: name, apiKey: apiKey || 'none', baseUrl: baseUrl ?? provider.baseUrl };
  return { name, timeoutMs, maxRetries, variables, stream: provider.open(exported, access) };
}

async function loadPackage(provider: Provider, load: LoadPackage): Promise<unknown> {
  try {
    return await load(provider.package);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const isMissing = why.includes(`Cannot find package '${provider.package}'`);
    throw new ModelSettingError(
      `MODEL needs the package ${provider.package}, which ${isMissing ? 'is not installed' : `could not be loaded: ${why}`}. Run: ${installLine(provider)}`,
      { cause: error },
    );
  }
}

function installLine(provider: Provider): string {
  return `npm install -E ${provider.package}@${provider.version}`;
}
