import { randomBytes } from 'node:crypto';
import { type ChatCompletionRequest, LLMock } from '@copilotkit/aimock';
import { parseConversation } from './read-conversation.ts';
import type { ScriptedAnswer } from './scenario.ts';
import { readAttached, SCENARIOS } from './scenarios.ts';

/** A stand-in for a model, behind the same protocol. */
export interface ScriptedModel {
  /** What `OPENAI_BASE_URL` is set to. */
  readonly baseUrl: string;
  /** It answers to nobody else. */
  readonly apiKey: string;
  /** Ends it; twice is harmless. */
  stop(): Promise<void>;
}

const PIECE_LENGTH = 48;
const PIECE_EVERY_MS = 40;

/** Starts a server of the OpenAI protocol that plays a few scenarios with the real tools, and says that it is scripted. */
export async function createScriptedModel({
  pieceEveryMs = PIECE_EVERY_MS,
}: {
  /** How fast the pieces of an answer follow each other. (Default: 40 ms.) */
  readonly pieceEveryMs?: number;
} = {}): Promise<ScriptedModel> {
  const apiKey = randomBytes(16).toString('base64url');
  const server = new LLMock({
    host: '127.0.0.1',
    port: 0,
    // Its control routes would let any page of the browser rewrite the script.
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
  const talk = parseConversation(request);
  const { said } = talk;
  const scenario =
    SCENARIOS.find(({ text }) => text.toLowerCase() === said.toLowerCase()) ??
    SCENARIOS.findLast(({ means }) => means.test(said));
  if (scenario) return scenario.next(talk);
  return talk.attached.length > 0 ? readAttached(talk) : { words: listScenarios() };
}

function listScenarios(): string {
  const offers = SCENARIOS.map(({ label, text }) => `- **${label}**: ${text}`);
  return [
    'Hello! I am a **scripted model**: no key of a model is set, so I know a few scenes and nothing else. What my tools do to the files is real. Write one of these:',
    offers.join('\n'),
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
