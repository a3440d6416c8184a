import { type CompletionsChat, streamCompletions } from '../model.ts';
import { exportedClass, methodOf, type Provider } from './provider.ts';

/** DeepSeek. */
export const deepseek: Provider = {
  package: '@langchain/deepseek',
  version: '1.1.13',
  protocol: 'openai',
  baseUrl: 'https://api.deepseek.com',
  open(exported, { model, apiKey, baseUrl }) {
    const ChatDeepSeek = exportedClass(exported, 'ChatDeepSeek');
    const configuration = { baseURL: baseUrl, logLevel: 'off' };
    const chat = new ChatDeepSeek({ model, apiKey, configuration, maxRetries: 0 });
    // Its own override looks for <think> in the words, and then repeats or drops the pieces of calls
    // beside them; that of its parent leaves them alone.
    const parent: object = Object.getPrototypeOf(ChatDeepSeek.prototype);
    const stream = methodOf(parent, '_streamResponseChunks').bind(chat);
    return streamCompletions({ _streamResponseChunks: stream } as CompletionsChat);
  },
};

/** Groq. */
export const groq: Provider = {
  package: '@langchain/groq',
  version: '1.3.1',
  protocol: 'openai',
  baseUrl: 'https://api.groq.com',
  open(exported, { model, apiKey, baseUrl }) {
    const ChatGroq = exportedClass(exported, 'ChatGroq');
    return toStream(new ChatGroq({ model, apiKey, baseUrl, maxRetries: 0 }), 'client');
  },
};

/** xAI. */
export const xai: Provider = {
  package: '@langchain/xai',
  version: '1.4.15',
  protocol: 'openai',
  baseUrl: 'https://api.x.ai/v1',
  open(exported, { model, apiKey, baseUrl }) {
    const ChatXAI = exportedClass(exported, 'ChatXAI');
    return toStream(
      new ChatXAI({ model, apiKey, baseURL: baseUrl, maxRetries: 0 }),
      'clientConfig',
    );
  },
};

/** `quiet` is where its client keeps how much it writes to the console: what it can't parse, parts of a conversation. */
function toStream(chat: object, quiet: 'client' | 'clientConfig') {
  methodOf(chat, '_streamResponseChunks');
  const settings = (chat as Readonly<Record<string, unknown>>)[quiet];
  if (settings instanceof Object) Object.assign(settings, { logLevel: 'off' });
  return streamCompletions(chat as CompletionsChat);
}
