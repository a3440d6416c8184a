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

/** Providers with a protocol of their own. */
const PROVIDERS: Readonly<Record<string, Provider>> = { anthropic };
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
  const variables = modelVariablesOf(id);
  if (isOpenAiCompatible(id)) return createChatModel(options);
  const provider = Object.hasOwn(PROVIDERS, id) ? PROVIDERS[id] : undefined;
  if (!provider) throw new ModelSettingError(describeUnsupportedProvider(id, name));
  const { apiKey, baseUrl, timeoutMs, maxRetries } = options;
  if (!apiKey && !baseUrl) {
    throw new ModelSettingError(
      `${variables.key} is not set, and MODEL names ${id}. Set it, or ${variables.baseUrl} to a server that needs none.`,
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
      `${provider.package} as it is installed can’t be used: ${why}. Install the version that was tested: ${installLine(provider)}`,
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
