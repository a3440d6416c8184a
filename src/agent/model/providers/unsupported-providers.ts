/** Providers without native support, each with the reason and its OpenAI-compatible base URL. */
const REFUSED: Readonly<Record<string, readonly [why: string, baseUrl: string]>> = {
  'google-genai': parsedOnly('https://generativelanguage.googleapis.com/v1beta/openai'),
  google: parsedOnly('https://generativelanguage.googleapis.com/v1beta/openai'),
  ollama: parsedOnly('http://localhost:11434/v1'),
  cohere: parsedOnly('https://api.cohere.ai/compatibility/v1'),
  mistral: unstoppable('https://api.mistral.ai/v1'),
  mistralai: unstoppable('https://api.mistral.ai/v1'),
  cerebras: unstoppable('https://api.cerebras.ai/v1'),
  openrouter: [
    'its package skips parts of an answer that it can’t read, so arguments could silently lose a piece',
    'https://openrouter.ai/api/v1',
  ],
  azure: [
    'its deployments are reached through OpenAI’s own package',
    'https://<your resource>.openai.azure.com/openai/v1',
  ],
  bedrock: [
    'it has not been tested, so its arguments can’t be trusted',
    'https://bedrock-runtime.<region>.amazonaws.com/openai/v1',
  ],
  'google-vertexai': [
    'its API returns arguments only as parsed values, so their exact text is lost',
    'https://<region>-aiplatform.googleapis.com/v1/projects/<project>/locations/<region>/endpoints/openapi',
  ],
};

function parsedOnly(baseUrl: string): readonly [string, string] {
  return ['its API returns arguments only as parsed values, so their exact text is lost', baseUrl];
}

function unstoppable(baseUrl: string): readonly [string, string] {
  return ['its package can’t be stopped while it streams', baseUrl];
}

/**
 * Explains why a provider can't be used directly, and how to reach it through its compatible API.
 */
export function describeUnsupportedProvider(provider: string, model: string): string {
  const known = Object.hasOwn(REFUSED, provider) ? REFUSED[provider] : undefined;
  if (known) {
    const [why, baseUrl] = known;
    return `MODEL names ${provider}, which can’t be used directly: ${why}. Reach it through its OpenAI-compatible address: MODEL=openai/${model}, OPENAI_BASE_URL=${baseUrl} and its key as OPENAI_API_KEY.`;
  }
  return `MODEL names the provider ${JSON.stringify(provider)}, which is unknown. Supported are openai, anthropic, deepseek, groq and xai. For any other OpenAI-compatible server, set MODEL=openai/${model} and OPENAI_BASE_URL.`;
}
