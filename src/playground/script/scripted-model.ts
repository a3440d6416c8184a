import { randomBytes } from 'node:crypto';
import { type ChatCompletionRequest, LLMock } from '@copilotkit/aimock';
import { parseConversation } from './read-conversation.ts';
import type { ScriptedAnswer } from './scenario.ts';
import { readAttached, SCENARIOS } from './scenarios.ts';

/** A scripted stand-in for a model, with the same protocol. */
export interface ScriptedModel {
  /** The value for `OPENAI_BASE_URL`. */
  readonly baseUrl: string;
  /** The key that the server requires. */
  readonly apiKey: string;
  /** Stops the server. May be called twice. */
  stop(): Promise<void>;
}

const PIECE_LENGTH = 48;
const PIECE_EVERY_MS = 40;

/**
 * Starts an OpenAI-compatible server that plays a few scenarios with the real tools. Its answers
 * say that they are scripted.
 */
export async function createScriptedModel({
  pieceEveryMs = PIECE_EVERY_MS,
}: {
  /** The delay between the pieces of an answer. (Default: 40 ms.) */
  readonly pieceEveryMs?: number;
} = {}): Promise<ScriptedModel> {
  const apiKey = randomBytes(16).toString('base64url');
  const server = new LLMock({
    host: '127.0.0.1',
    port: 0,
    // Without a key, any page in the browser could rewrite the script over its control routes.
    auth: { apiKeys: [apiKey] },
    journalMaxEntries: 20,
    chunkSize: PIECE_LENGTH,
    latency: pieceEveryMs,
  });
  server.on({ endpoint: 'chat' }, (request) => toResponse(answer(request)));
  const url = await server.start();
  let stopped: Promise<void> | undefined;
  return {
    baseUrl: `${url}/v1`,
    apiKey,
    stop: () => {
      stopped ??= server.stop();
      return stopped;
    },
  };
}

function answer(request: ChatCompletionRequest): ScriptedAnswer {
  const turn = parseConversation(request);
  const { said } = turn;
  const scenario =
    SCENARIOS.find(({ text }) => text.toLowerCase() === said.toLowerCase()) ??
    SCENARIOS.findLast(({ means }) => means.test(said));
  if (scenario) return scenario.next(turn);
  return turn.attached.length > 0 ? readAttached(turn) : { words: listScenarios() };
}

function listScenarios(): string {
  const items = SCENARIOS.map(({ label, text }) => `- **${label}**: ${text}`);
  return [
    'Hello! I am a **scripted model**: no model is set, so I only know a few scenarios. What my tools do to the files is real. Write one of these:',
    items.join('\n'),
    'To talk with a real model, set `OPENAI_API_KEY`, or `OPENAI_BASE_URL` for a compatible server, and start the app again.',
  ].join('\n\n');
}

function toResponse({ words, calls = [] }: ScriptedAnswer) {
  if (calls.length === 0) return { content: words };
  const toolCalls = calls.map(({ tool, args }) => ({
    name: tool,
    arguments: JSON.stringify(args),
  }));
  return { content: words, toolCalls };
}
