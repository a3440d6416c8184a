/**
 * The fetch for MCP servers over HTTP. It limits the memory that a server can use. If a stream ends
 * before the answer, it sends an error answer: otherwise the SDK client would wait forever.
 * https://modelcontextprotocol.io/specification/2025-06-18/basic/transports
 */
import { randomUUID } from 'node:crypto';
import {
  ErrorCode,
  JSONRPCRequestSchema,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';

/** For one answer, or for one event of a stream. */
const MAX_BYTES = 10 * 1024 * 1024;

/** Random, so that no server can fake it. */
const CUT_OFF = `cut-off ${randomUUID()}`;

/** Returns whether an error is our own, for a stream that ended without an answer. */
export function isStreamCutOff(error: unknown): boolean {
  return error instanceof Error && 'data' in error && error.data === CUT_OFF;
}

/** Fetches with limits, and adds an error answer to a request's stream that ends without one. */
export async function fetchFromServer(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  const { body, headers, status, statusText } = response;
  if (!body) return response;
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true;
  const cutOffAnswer = isStream ? buildCutOffAnswer(init) : undefined;
  const bounded = bound(body, { isStream, cutOffAnswer });
  return new Response(bounded, { headers, status, statusText });
}

/** Builds the error answer for a request; undefined if the message needs no answer. */
function buildCutOffAnswer(init: RequestInit | undefined): string | undefined {
  if (typeof init?.body !== 'string') return undefined;
  const id = idOf(init.body);
  if (id === undefined) return undefined;
  const error = {
    code: ErrorCode.ConnectionClosed,
    message: 'The stream ended without an answer.',
    data: CUT_OFF,
  };
  return `\n\nevent: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, error })}\n\n`;
}

function idOf(body: string): RequestId | undefined {
  const read = JSONRPCRequestSchema.safeParse(JSON.parse(body));
  return read.success ? read.data.id : undefined;
}

function bound(
  body: ReadableStream<Uint8Array>,
  {
    isStream,
    cutOffAnswer,
  }: { readonly isStream: boolean; readonly cutOffAnswer: string | undefined },
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let held = 0;
  let tail = '';
  // The client resumes a stream with event ids by itself.
  let isResumable = false;

  function count(chunk: Uint8Array): void {
    held += chunk.length;
    if (isStream) {
      const text = tail + Buffer.from(chunk).toString('latin1');
      isResumable ||= /(?:^|[\r\n])id:/.test(text);
      const end = /[\r\n]{2}[^\r\n]*$/.exec(text);
      if (end) held = text.length - end.index;
      tail = text.slice(-4);
    }
    if (held > MAX_BYTES) throw new Error(`A server sent more than ${MAX_BYTES} bytes at once.`);
  }

  function endEarly(controller: ReadableStreamDefaultController<Uint8Array>, error: unknown): void {
    if (cutOffAnswer !== undefined && !isResumable) {
      controller.enqueue(Buffer.from(cutOffAnswer));
      controller.close();
    } else if (error === undefined) controller.close();
    else controller.error(error);
  }

  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) return endEarly(controller, undefined);
        count(value);
        controller.enqueue(value);
      } catch (error) {
        endEarly(controller, error);
        await reader.cancel().catch(() => {});
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
