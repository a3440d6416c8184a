import {
  type ChatModel,
  type ChatModelOptions,
  createChatModel,
  isOpenAiCompatible,
  ModelSettingError,
  modelVariablesOf,
  splitModelName,
} from '../create-chat-model.ts';
import { anthropic } from './anthropic.ts';
import type { Provider, ProviderAccess } from './provider.ts';
import { describeUnsupportedProvider } from './unsupported-providers.ts';

/** Providers with their own protocol. */
const PROVIDERS: Readonly<Record<string, Provider>> = { anthropic };
/** Imports a package. Rejects like `import` if it is missing. */
export type LoadPackage = (name: string) => Promise<unknown>;

/**
 * Opens the configured model, through its provider's package if it has its own protocol. Rejects with
 * a `ModelSettingError` if the provider is unsupported, its package is missing, or the key is not set.
 */
export async function loadChatModel(
  options: ChatModelOptions,
  load: LoadPackage = (name) => import(name),
): Promise<ChatModel> {
  const { provider: id, name } = splitModelName(options.model);
  const variables = modelVariablesOf(id);
  if (isOpenAiCompatible(id)) return createChatModel(options);
  const provider = Object.hasOwn(PROVIDERS, id) ? PROVIDERS[id] : undefined;
  if (!provider) throw new ModelSettingError(describeUnsupportedProvider(id, name));
  const { apiKey, baseUrl, timeoutMs, maxRetries } = options;
  if (!apiKey && !baseUrl) {
    throw new ModelSettingError(
      `${variables.key} is not set, and MODEL names ${id}. Set it, or set ${variables.baseUrl} to a server that needs none.`,
    );
  }
  const exported = await loadPackage(provider, load);
  const access = { model: name, apiKey: apiKey || 'none', baseUrl: baseUrl ?? provider.baseUrl };
  const reached = { name, timeoutMs, maxRetries, variables, origin: access.baseUrl };
  const secrets = apiKey ? [apiKey] : [];
  return { ...reached, secrets, stream: openProvider(provider, exported, access) };
}

function openProvider(
  provider: Provider,
  exported: unknown,
  access: ProviderAccess,
): ChatModel['stream'] {
  try {
    return provider.open(exported, access);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ModelSettingError(
      `The installed version of ${provider.package} can’t be used: ${why}. Install the tested version: ${installLine(provider)}`,
      { cause: error },
    );
  }
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
