import type { Cancel, Clock } from '../domain/ports/clock.ts';

/** Proxies cut what is silent for a minute, and Node’s own fetch what is for five. */
const HEARTBEAT_MS = 15_000;
/** A line that a client passes over. */
const HEARTBEAT = new TextEncoder().encode(': still here\n\n');

/** Passes an answer on; where it is a stream of events, a long silence does not look like a dead server. */
export function withSseHeartbeat(response: Response, clock: Clock): Response {
  const { body, headers } = response;
  if (!body || headers.get('content-type')?.startsWith('text/event-stream') !== true) {
    return response;
  }
  return new Response(withHeartbeat(body, clock), response);
}

/** Between the pieces, which are whole events. */
function withHeartbeat(body: ReadableStream<Uint8Array>, clock: Clock): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let cancel: Cancel = () => {};
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const arm = () => {
        cancel = clock.schedule(clock.now() + HEARTBEAT_MS, () => {
          arm();
          // Whoever does not read is not sent more.
          if ((controller.desiredSize ?? 0) > 0) controller.enqueue(HEARTBEAT);
        });
      };
      arm();
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
