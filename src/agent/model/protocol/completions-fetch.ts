/**
 * The fetch that is given to the client of OpenAI's protocol. On the way out it puts the provider's own
 * fields back and changes what the server refuses; on the way in it reads what came, keeps it for us as
 * it was, and hands the client a stream in the standard shape, whatever the server's was.
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

/** One request, and what came of it. */
export interface Exchange {
  readonly fetch: typeof fetch;
  /** Returns the pieces that came since the last time. */
  take(): readonly AnswerChunk[];
  /** Why it failed, in the server's words where it said any. */
  failure(): unknown;
}

export interface ExchangeOptions {
  readonly quirks: ServerQuirks;
  readonly habit: ReasoningHabit;
  /** What belongs to each message of the assistant, in their order. */
  readonly fields: readonly (ProviderFields | undefined)[];
  /** Told of what the server does not take. */
  readonly onQuirk: (quirk: string) => void;
}

const MAX_CHANGES = 4;
/** The client joins all pieces anew at each one: of those without text it gets some, as a sign of life. */
const PIECES_PER_SIGN = 16;

/** Creates the exchange of one request. */
export function createExchange(options: ExchangeOptions): Exchange {
  const { quirks, habit, fields, onQuirk } = options;
  const pieces: AnswerChunk[] = [];
  let failure: unknown;

  function fail(error: unknown): never {
    failure ??= error;
    throw error;
  }

  async function send(url: Parameters<typeof fetch>[0], init: RequestInit): Promise<Response> {
    const asked = withFields(JSON.parse(String(init.body)) as RequestBody, fields);
    for (let changes = 0; ; changes += 1) {
      const body = quirks.apply(asked);
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
  /** What is read is added to them. */
  readonly pieces: AnswerChunk[];
  fail(error: unknown): never;
}

/** Keeps the pieces of an answer, and writes it anew for the client. */
async function* relay(response: Response, { habit, pieces, fail }: Relay): AsyncGenerator<string> {
  const reader = createAnswerReader(habit);
  let signs = 0;
  try {
    for await (const chunk of readAnswer(response)) {
      const piece = reader.read(chunk);
      pieces.push(piece);
      signs = piece.text === '' ? signs + 1 : 0;
      if (signs % PIECES_PER_SIGN === 0) yield event({ content: piece.text });
    }
  } catch (error) {
    // The answer was there: what failed is the end of the connection.
    if (!reader.isOver()) fail(error);
  }
  const { piece, calls } = reader.end();
  pieces.push(piece);
  yield event({ content: piece.text, ...(calls.length > 0 && { tool_calls: calls }) }, 'stop');
  yield 'data: [DONE]\n\n';
}

/** Reads the values of an answer, be it streamed or whole; throws an error that stands in one's place. */
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

/** Some servers answer with one JSON object, though they were asked for a stream. */
async function* textsOf(response: Response): AsyncGenerator<string> {
  if (response.headers.get('content-type')?.includes('json')) {
    yield await response.text();
    yield '[DONE]';
    return;
  }
  yield* readServerSentEvents(toBody(response));
}

/** Makes pieces of what is read: thoughts go, and the reason for the end comes last. */
function createAnswerReader(habit: ReasoningHabit) {
  const filter = createReasoningFilter(habit);
  const assembler = createCallAssembler();
  let finishReason: string | undefined;

  return {
    read(chunk: ParsedChunk): AnswerChunk {
      // What the server names itself says more than that the stream has ended.
      if (chunk.finishReason !== END_REASONS) finishReason = chunk.finishReason ?? finishReason;
      else finishReason ??= END_REASONS;
      assembler.add(chunk.calls);
      return { ...chunk, ...filter.add(chunk.text), finishReason: undefined };
    },
    isOver: () => finishReason !== undefined,
    end() {
      const isWhole = finishReason !== undefined && finishReason !== 'length';
      const calls = assembler.calls().map(({ id, tool: name, args }, index) => ({
        ...{ index, id, type: 'function' },
        function: { name, arguments: args },
      }));
      return { piece: { ...NOTHING, ...filter.end(isWhole), finishReason }, calls };
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
