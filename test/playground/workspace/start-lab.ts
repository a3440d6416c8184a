import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { LogLevel, WebClient } from '@slack/web-api';
import type { Cancel, Clock } from '../../../src/domain/ports/clock.ts';
import {
  createWorkspace,
  type WorkspaceOptions,
} from '../../../src/playground/workspace/create-workspace.ts';
import type { Workspace } from '../../../src/playground/workspace/workspace-port.ts';

/** A manual clock. */
export interface ManualClock extends Clock {
  advance(ms: number): void;
}

/** Creates a manual clock that starts at the machine's time, because Bolt checks signatures by that. */
function createManualClock(): ManualClock {
  let now = Date.now();
  const due: { at: number; run: () => void }[] = [];
  const takeDue = () => {
    due.sort((a, b) => a.at - b.at);
    const [first] = due;
    return first !== undefined && first.at <= now ? due.shift() : undefined;
  };
  return {
    now: () => now,
    schedule: (at, run): Cancel => {
      const entry = { at, run };
      due.push(entry);
      return () => {
        const index = due.indexOf(entry);
        if (index >= 0) {
          due.splice(index, 1);
        }
      };
    },
    advance: (ms) => {
      const end = now + ms;
      now = end;
      for (let next = takeDue(); next !== undefined; next = takeDue()) {
        next.run();
      }
    },
  };
}

type Closer = () => unknown;

/** What was opened after a workspace must close before it, and hooks of a test run in order. */
export const CLOSERS = new WeakMap<Workspace, Closer[]>();

/** A workspace with a manual clock; both end with the test. */
export async function startWorkspace(
  t: TestContext,
  options: Pick<WorkspaceOptions, 'form'> = {},
): Promise<{ workspace: Workspace; clock: ManualClock; client: WebClient }> {
  const clock = createManualClock();
  const workspace = await createWorkspace({ clock, ...options });
  const closers: Closer[] = [() => workspace.stop()];
  CLOSERS.set(workspace, closers);
  t.after(async () => {
    for (const close of closers.reverse()) {
      await close();
    }
  });
  const client = new WebClient(workspace.botToken, clientOptions(workspace));
  return { workspace, clock, client };
}

/** Options for a Slack client that calls the workspace and never retries. */
export function clientOptions(workspace: Workspace) {
  return {
    slackApiUrl: workspace.apiUrl,
    retryConfig: { retries: 0 },
    logLevel: LogLevel.ERROR,
    rejectRateLimitedCalls: true,
  };
}

/** A request as a plain HTTP endpoint received it. */
export interface Received {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** A plain endpoint in place of an app. `answer` returns status and body, or never resolves. */
export async function startEndpoint(
  workspace: Workspace,
  answer: (received: Received, count: number) => { status: number; body?: unknown } | undefined,
): Promise<readonly Received[]> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const one = { headers: request.headers, body: Buffer.concat(chunks).toString() };
      received.push(one);
      const given = answer(one, received.length);
      if (given !== undefined) {
        response.statusCode = given.status;
        response.setHeader('content-type', 'application/json');
        response.end(given.body === undefined ? '' : JSON.stringify(given.body));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  CLOSERS.get(workspace)?.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  workspace.deliverTo({ kind: 'http', url: `http://127.0.0.1:${port}/` });
  return received;
}
