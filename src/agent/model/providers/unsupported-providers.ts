/** Providers that have no name of their own here, each with the reason and the address that speaks OpenAI's protocol. */
const REFUSED: Readonly<Record<string, readonly [why: string, baseUrl: string]>> = {
  'google-genai': parsedOnly('https://generativelanguage.googleapis.com/v1beta/openai'),
  google: parsedOnly('https://generativelanguage.googleapis.com/v1beta/openai'),
  ollama: parsedOnly('http://localhost:11434/v1'),
  cohere: parsedOnly('https://api.cohere.ai/compatibility/v1'),
  mistral: unstoppable('https://api.mistral.ai/v1'),
  mistralai: unstoppable('https://api.mistral.ai/v1'),
  cerebras: unstoppable('https://api.cerebras.ai/v1'),
  openrouter: [
    'its package passes over parts of an answer that it can’t read, so arguments could lose a piece unnoticed',
    'https://openrouter.ai/api/v1',
  ],
  azure: [
    'its deployments are reached through OpenAI’s own package',
    'https://<your resource>.openai.azure.com/openai/v1',
  ],
  bedrock: [
    'it was never tested here, and untested arguments are not trusted',
    'https://bedrock-runtime.<region>.amazonaws.com/openai/v1',
  ],
  'google-vertexai': [
    'its API gives arguments as parsed values only, and their text is gone',
    'https://<region>-aiplatform.googleapis.com/v1/projects/<project>/locations/<region>/endpoints/openapi',
  ],
};

function parsedOnly(baseUrl: string): readonly [string, string] {
  return ['its API gives arguments as parsed values only, and their text is gone', baseUrl];
}

function unstoppable(baseUrl: string): readonly [string, string] {
  return ['its package can’t be stopped while it streams', baseUrl];
}

/** Says why a provider's model is refused, and how to reach it all the same. */
export function describeUnsupportedProvider(provider: string, model: string): string {
  const known = Object.hasOwn(REFUSED, provider) ? REFUSED[provider] : undefined;
  if (known) {
    const [why, baseUrl] = known;
    return `MODEL names ${provider}, which can’t be used directly: ${why}. Reach it through its OpenAI-compatible address: MODEL=openai/${model}, OPENAI_BASE_URL=${baseUrl} and its key as OPENAI_API_KEY.`;
  }
  return `MODEL names the provider ${JSON.stringify(provider)}, which is not known here. There are openai, anthropic, deepseek, groq and xai; any OpenAI-compatible server is reached with MODEL=openai/${model} and OPENAI_BASE_URL.`;
}
