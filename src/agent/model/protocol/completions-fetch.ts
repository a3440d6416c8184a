/**
 * The fetch for the client of OpenAI's protocol. In requests it restores the provider's own fields and
 * changes what the server refuses. In responses it keeps the raw chunks for us, and gives the client a
 * stream in the standard shape, whatever the server sent.
 */
import type { JsonValue } from '../../../domain/json/json.ts';
import type { ProviderFields } from '../../../domain/threads/message.ts';
import { createCallAssembler } from '../collect-answer.ts';
import type { AnswerChunk } from './answer-chunk.ts';
import { argumentsToText } from './exact-arguments.ts';
import { END_REASONS, type ParsedChunk, parseChunk } from './parse-chunk.ts';
import { createReasoningFilter, type ReasoningHabit } from './reasoning-filter.ts';
import { containsError, readServerError, toServerError } from './server-error.ts';
import type { RequestBody, ServerQuirks } from './server-quirks.ts';
import { readServerSentEvents, toEventResponse } from './server-sent-events.ts';

/** One request with its result. */
export interface Exchange {
  readonly fetch: typeof fetch;
  /** Returns the pieces received since the last call. */
  take(): readonly AnswerChunk[];
  /** The error, a `ModelServerError` if the server sent one. */
  failure(): unknown;
}

export interface ExchangeOptions {
  readonly quirks: ServerQuirks;
  readonly habit: ReasoningHabit;
  /** The provider fields of each assistant message, in order. */
  readonly fields: readonly (ProviderFields | undefined)[];
  /** Called when the server turns out not to accept a part of the request. */
  readonly onQuirk: (quirk: string) => void;
}

const MAX_CHANGES = 4;
/**
 * The client joins all pieces again at each one, so it gets only every 16th without text, as a
 * keep-alive.
 */
const PIECES_PER_KEEP_ALIVE = 16;

/** Creates the exchange for one request. */
export function createExchange(options: ExchangeOptions): Exchange {
  const { quirks, habit, fields, onQuirk } = options;
  const pieces: AnswerChunk[] = [];
  let failure: unknown;

  function fail(error: unknown): never {
    failure ??= error;
    throw error;
  }

  async function send(url: Parameters<typeof fetch>[0], init: RequestInit): Promise<Response> {
    const original = withFields(JSON.parse(String(init.body)) as RequestBody, fields);
    for (let changes = 0; ; changes += 1) {
      const body = quirks.apply(original);
      const response = await fetch(url, { ...init, body: JSON.stringify(body) });
      if (response.ok) return response;
      const error = await readServerError(response);
      const learned = changes < MAX_CHANGES ? quirks.learn(error, body) : undefined;
      if (learned === undefined) return fail(error);
      onQuirk(learned);
    }
  }

  return {
    take: () => pieces.splice(0),
    failure: () => failure,
    async fetch(url, init) {
      const response = await send(url, init ?? {}).catch(fail);
      return toEventResponse(relay(response, { habit, pieces, fail }));
    },
  };
}

interface Relay {
  readonly habit: ReasoningHabit;
  /** Receives each piece that is read. */
  readonly pieces: AnswerChunk[];
  fail(error: unknown): never;
}

/** Keeps the pieces of an answer and rewrites it for the client. */
async function* relay(response: Response, { habit, pieces, fail }: Relay): AsyncGenerator<string> {
  const reader = createAnswerReader(habit);
  let silentPieces = 0;
  try {
    for await (const chunk of readAnswer(response)) {
      const piece = reader.read(chunk);
      pieces.push(piece);
      silentPieces = piece.text === '' ? silentPieces + 1 : 0;
      if (silentPieces % PIECES_PER_KEEP_ALIVE === 0) yield event({ content: piece.text });
    }
  } catch (error) {
    // After a finish reason the answer is complete: ignore a failing end of the connection.
    if (!reader.isOver()) fail(error);
  }
  const { piece, calls } = reader.end();
  pieces.push(piece);
  yield event({ content: piece.text, ...(calls.length > 0 && { tool_calls: calls }) }, 'stop');
  yield 'data: [DONE]\n\n';
}

/**
 * Reads the chunks of an answer, streamed or not. Throws an error that the server sends within it.
 */
async function* readAnswer(response: Response): AsyncGenerator<ParsedChunk> {
  let hasBegun = false;
  for await (const text of textsOf(response)) {
    if (text.trim() === '[DONE]') {
      if (hasBegun) yield { ...NOTHING, finishReason: END_REASONS };
      return;
    }
    const value = JSON.parse(argumentsToText(text, 'arguments')) as JsonValue;
    if (containsError(value)) throw toServerError(value, response);
    const chunk = parseChunk(value);
    if (chunk) yield chunk;
    hasBegun ||= chunk !== undefined;
  }
}

/** Some servers answer a streaming request with one JSON object. */
async function* textsOf(response: Response): AsyncGenerator<string> {
  if (response.headers.get('content-type')?.includes('json')) {
    yield await response.text();
    yield '[DONE]';
    return;
  }
  yield* readServerSentEvents(toBody(response));
}

/** Turns chunks into pieces: removes reasoning, and holds the finish reason back until the end. */
function createAnswerReader(habit: ReasoningHabit) {
  const filter = createReasoningFilter(habit);
  const assembler = createCallAssembler();
  let finishReason: string | undefined;

  return {
    read(chunk: ParsedChunk): AnswerChunk {
      // A reason from the server is more specific than the end of the stream.
      if (chunk.finishReason !== END_REASONS) finishReason = chunk.finishReason ?? finishReason;
      else finishReason ??= END_REASONS;
      assembler.add(chunk.calls);
      return { ...chunk, ...filter.add(chunk.text), finishReason: undefined };
    },
    isOver: () => finishReason !== undefined,
    end() {
      const isComplete = finishReason !== undefined && finishReason !== 'length';
      const calls = assembler.calls().map(({ id, tool: name, args }, index) => ({
        ...{ index, id, type: 'function' },
        function: { name, arguments: args },
      }));
      return { piece: { ...NOTHING, ...filter.end(isComplete), finishReason }, calls };
    },
  };
}

const NOTHING: ParsedChunk = {
  text: '',
  calls: [],
  finishReason: undefined,
  tokens: undefined,
  fields: undefined,
};

function toBody({ body }: Response): ReadableStream<Uint8Array> {
  return body ?? new Blob([]).stream();
}

function event(delta: object, finish: string | null = null): string {
  const choices = [{ index: 0, delta: { role: 'assistant', ...delta }, finish_reason: finish }];
  const chunk = { id: 'answer', object: 'chat.completion.chunk', created: 0, model: '', choices };
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

function withFields(
  body: RequestBody,
  fields: readonly (ProviderFields | undefined)[],
): RequestBody {
  let at = -1;
  const messages = body.messages.map((message) => {
    if (message.role !== 'assistant') return message;
    at += 1;
    return { ...fields[at], ...message };
  });
  return { ...body, messages };
}
