import { ReadableStream as NodeStream } from 'node:stream/web';
import { EventSourceParserStream } from 'eventsource-parser/stream';

const MAX_EVENT_CHARS = 8 * 1024 * 1024;

/** Reads the data of server-sent events. The last one may lack its final empty line. */
export async function* readServerSentEvents(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<string> {
  const closed = new TransformStream<string, string>({
    flush(controller) {
      controller.enqueue('\n\n');
    },
  });
  const events = body
    .pipeThrough(new TextDecoderStream() as unknown as TransformStream<Uint8Array, string>)
    .pipeThrough(closed)
    .pipeThrough(new EventSourceParserStream({ maxBufferSize: MAX_EVENT_CHARS }));
  for await (const { data } of events) yield data;
}

/** Wraps events in a streaming `Response`. */
export function toEventResponse(events: AsyncIterable<string>): Response {
  const body = NodeStream.from(encode(events)) as unknown as ReadableStream<Uint8Array>;
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

async function* encode(events: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const event of events) yield encoder.encode(event);
}
