import type { Cancel, Clock } from '../domain/ports/clock.ts';
import { repeat } from '../domain/runtime/repeat.ts';

/** Proxies close connections that are silent for a minute; Node's fetch does after five. */
const HEARTBEAT_MS = 15_000;
/** An SSE comment, which clients ignore. */
const HEARTBEAT = new TextEncoder().encode(': still here\n\n');

/** Adds heartbeats to an event stream, so that a long silence doesn't look like a dead server; other responses pass unchanged. */
export function withSseHeartbeat(response: Response, clock: Clock): Response {
  const { body, headers } = response;
  if (!body || headers.get('content-type')?.startsWith('text/event-stream') !== true) {
    return response;
  }
  return new Response(withHeartbeat(body, clock), response);
}

/** Each chunk is a whole event, so a heartbeat fits between any two. */
function withHeartbeat(body: ReadableStream<Uint8Array>, clock: Clock): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let cancel: Cancel = () => {};
  return new ReadableStream<Uint8Array>({
    start(controller) {
      cancel = repeat(clock, HEARTBEAT_MS, () => {
        // Don't queue heartbeats for a client that doesn't read.
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(HEARTBEAT);
      });
    },
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        cancel();
        controller.close();
      } catch (error) {
        cancel();
        controller.error(error);
      }
    },
    async cancel(reason) {
      cancel();
      await reader.cancel(reason);
    },
  });
}
