/** Settings of the model. */
import type { z } from 'zod';
import type { Variables } from './setting-variables.ts';

/** The agent's model. Without a key only servers that need none can be used. */
export interface ModelConfig {
  readonly provider: string;
  readonly name: string;
  readonly apiKey?: string;
  readonly baseUrl?: string;
}

type Read = z.output<typeof Variables>;
type Environment = Readonly<Record<string, string | undefined>>;

/** Providers with settings of their own. The agent reports errors of other providers. */
const ACCESS: Readonly<
  Record<
    string,
    readonly [key: keyof Read & `${string}_API_KEY`, url: keyof Read & `${string}_BASE_URL`]
  >
> = {
  openai: ['OPENAI_API_KEY', 'OPENAI_BASE_URL'],
  anthropic: ['ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL'],
  deepseek: ['DEEPSEEK_API_KEY', 'DEEPSEEK_BASE_URL'],
  groq: ['GROQ_API_KEY', 'GROQ_BASE_URL'],
  xai: ['XAI_API_KEY', 'XAI_BASE_URL'],
};

/** Reads the model. Returns undefined if OpenAI is selected without key and base URL. */
export function readModelConfig(read: Read): ModelConfig | undefined {
  const { provider, name } = split(read.MODEL);
  const access = ACCESS[provider];
  const apiKey = access && read[access[0]];
  const baseUrl = access && read[access[1]];
  if (provider === 'openai' && apiKey === undefined && baseUrl === undefined) return undefined;
  return {
    provider,
    name,
    ...(apiKey !== undefined && { apiKey }),
    ...(baseUrl !== undefined && { baseUrl }),
  };
}

/** Lists missing settings of the model. Slack mode requires one. */
export function modelProblems(env: Environment): readonly string[] {
  const { provider } = split(env.MODEL ?? 'openai/');
  const [key, url] = ACCESS[provider] ?? [];
  if (key === undefined || url === undefined || env[key] || env[url]) return [];
  if (provider !== 'openai') {
    return [
      `${key} is missing, and MODEL names ${provider}. Add the key, or ${url} for a compatible server that needs none.`,
    ];
  }
  if (!env.SLACK_BOT_TOKEN) return [];
  return [
    'OPENAI_API_KEY is missing, and a Slack workspace needs a model. Add the key, or OPENAI_BASE_URL for a compatible server that needs none; for another provider set MODEL.',
  ];
}

/** Lists settings of models that have no effect. */
export function modelWarnings(env: Environment): readonly string[] {
  const { provider } = split(env.MODEL ?? 'openai/');
  const unused = Object.entries(ACCESS).filter(([id, [, url]]) => id !== provider && env[url]);
  const warnings = unused.map(
    ([id, [, url]]) => `${url} has no effect while MODEL does not name ${id}.`,
  );
  if (env.MODEL && provider === 'openai' && !env.OPENAI_API_KEY && !env.OPENAI_BASE_URL) {
    warnings.push('MODEL has no effect without OPENAI_API_KEY or OPENAI_BASE_URL.');
  }
  return warnings;
}

function split(model: string): { readonly provider: string; readonly name: string } {
  const slash = model.indexOf('/');
  return { provider: model.slice(0, slash), name: model.slice(slash + 1) };
}
