import { stream } from 'hono/streaming';
import type { StreamingApi } from 'hono/utils/stream';
import { z } from 'zod';
import { isTerminal } from '../../../domain/calls/call.ts';
import { toApproval } from '../../../domain/cards/approval-view.ts';
import type { Cancel } from '../../../domain/ports/clock.ts';
import { repeat } from '../../../domain/runtime/repeat.ts';
import type { ApiDeps } from '../api-deps.ts';
import type {
  ApprovalVisibility,
  VisibilityResult,
  VisibleApproval,
} from '../auth/approval-visibility.ts';
import type { LongPolls } from '../long-poll.ts';
import { type ApiCaller, createOperation } from '../operation.ts';
import { notVisibleProblem } from '../problem.ts';
import { problemResponses } from '../response-schemas.ts';

/** Proxies close connections that are silent for a minute. */
const HEARTBEAT_MS = 15_000;
const RETRY_MS = 1_000;

const LastEvent = z.object({ 'last-event-id': z.string().max(20).optional() });

interface Followed {
  readonly caller: ApiCaller;
  readonly seen: VisibleApproval;
  /** The revision that the client has; not a number if none. */
  readonly known: number;
}

interface FollowDeps extends Pick<ApiDeps, 'clock' | 'log' | 'outside'> {
  readonly visibility: Pick<ApprovalVisibility, 'find' | 'findAgain'>;
  readonly waits: LongPolls;
}

/** Creates the operation that streams each change of an approval until it has ended. */
export function createFollowApproval(
  deps: ApiDeps,
  visibility: FollowDeps['visibility'],
  waits: LongPolls,
) {
  return createOperation(
    {
      method: 'get',
      path: '/api/approvals/:id/events',
      operationId: 'followApproval',
      summary: 'Streams the changes of an approval as server-sent events until it has ended',
      answers: {
        200: {
          description:
            'Events named `approval`: data is the approval, id its revision. The stream ends with the approval.',
          schema: z.string(),
          mediaType: 'text/event-stream',
        },
        204: {
          description: 'It has ended, and Last-Event-ID shows that you have its final state.',
        },
        ...problemResponses(404),
      },
    },
    { headers: LastEvent },
    async ({ c, headers, id, caller }) => {
      const seen = await visibility.find(caller, id);
      if (!seen || seen === 'unclear') return notVisibleProblem(c, seen);
      const known = Number(headers['last-event-id'] ?? Number.NaN);
      if (isTerminal(seen.call) && seen.call.revision === known) return c.body(null, 204);
      c.header('content-type', 'text/event-stream');
      c.header('x-accel-buffering', 'no');
      return stream(c, (out) =>
        follow({ ...deps, visibility, waits }, out, { caller, seen, known }),
      );
    },
  );
}

async function follow(deps: FollowDeps, out: StreamingApi, followed: Followed): Promise<void> {
  const { caller, seen } = followed;
  const gone = new AbortController();
  out.onAbort(() => gone.abort());
  const waiting = deps.waits.open({ caller, gone: gone.signal });
  const cancel = startHeartbeat(deps, (text) => out.write(text));
  try {
    // Some proxies buffer a response until its first byte.
    await out.write(': connected\n\n');
    await sendEvents(deps, out, followed, waiting.signal);
  } catch (error) {
    // The client reconnects.
    deps.log.warn({ err: error, call: seen.call.id }, 'A stream of approval events failed.');
  } finally {
    cancel();
    waiting.release();
  }
}

/** Sends SSE comments, which clients ignore, to keep the connection open. */
function startHeartbeat(
  { clock, log }: FollowDeps,
  write: (text: string) => Promise<unknown>,
): Cancel {
  return repeat(clock, HEARTBEAT_MS, () => {
    write(': still here\n\n').catch((error: unknown) =>
      log.debug({ err: error }, 'A reader disconnected.'),
    );
  });
}

/** Sends the current state unless the client has it, then each change. */
async function sendEvents(
  { outside, visibility }: FollowDeps,
  out: StreamingApi,
  { caller, seen, known }: Followed,
  signal: AbortSignal,
): Promise<void> {
  let sentRevision = known;
  for (let found: VisibilityResult = seen; found && found !== 'unclear'; ) {
    const { call, view }: VisibleApproval = found;
    if (call.revision !== sentRevision) {
      const data = JSON.stringify(toApproval(call, view));
      await out.write(
        `event: approval\nid: ${call.revision}\nretry: ${RETRY_MS}\ndata: ${data}\n\n`,
      );
    }
    sentRevision = call.revision;
    if (isTerminal(call) || signal.aborted) return;
    const changed = await outside.changed(call.id, sentRevision, signal);
    found = changed && (await visibility.findAgain(caller, { call, view }, changed));
  }
}
