/** A server with the HTTP API and one key that breaks connections on request: a real desk does so only by accident. */
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { Approval } from '../../../src/client/countersign-client.ts';

/** What happens to a request instead of its response: `after` lets it take effect first. */
export type Fault = { readonly status: number } | 'drop' | 'drop-after' | 'garbage';

export interface SmallDesk {
  readonly url: string;
  readonly key: string;
  /** All its requests, like `POST /consume`. */
  readonly asked: readonly string[];
  readonly bodies: readonly unknown[];
  /** The requested approvals, oldest first. */
  approvals(): readonly Approval[];
  /** Waits until the newest approval is pending, and changes it. */
  decide(change: Partial<Approval>): Promise<Approval>;
  /** Changes the newest approval, whatever its status. */
  alter(change: Partial<Approval>): Approval;
  /** Applies these faults to the next requests whose path ends like this. */
  fail(end: string, ...faults: readonly Fault[]): void;
  /** Revokes the key from now on. */
  revoke(): void;
}

/** Starts a server that ends with the test. */
export async function startSmallDesk(t: TestContext): Promise<SmallDesk> {
  const approvals = new Map<string, Approval>();
  const byKey = new Map<string, string>();
  const listeners = new Set<() => void>();
  const faults: [end: string, fault: Fault][] = [];
  const asked: string[] = [];
  const bodies: unknown[] = [];
  let key = 'csk_test';

  function put(approval: Approval): Approval {
    approvals.set(approval.id, approval);
    for (const tell of [...listeners]) tell();
    return approval;
  }

  /** Resolves when the condition holds, when the client disconnects, or after the timeout. */
  async function changed(
    holds: () => boolean,
    asker?: { readonly request: IncomingMessage; readonly waitMs: number },
  ): Promise<void> {
    let isOver = false;
    while (!holds() && !isOver) {
      await new Promise<void>((resolve) => {
        const tell = () => {
          listeners.delete(tell);
          clearTimeout(timer);
          resolve();
        };
        const end = () => {
          isOver = true;
          tell();
        };
        const timer = asker && setTimeout(end, asker.waitMs);
        asker?.request.socket.once('close', end);
        listeners.add(tell);
      });
    }
  }

  function create(body: Record<string, unknown>, idempotencyKey: string): [number, unknown] {
    const known = approvals.get(byKey.get(idempotencyKey) ?? '');
    if (known) return [200, known];
    const id = `call_${randomUUID()}`;
    byKey.set(idempotencyKey, id);
    const args = body.args as Record<string, unknown>;
    return [201, put(anApproval(id, String(body.action), args))];
  }

  async function answer(request: IncomingMessage, body: Record<string, unknown>) {
    const url = new URL(request.url ?? '', 'http://desk');
    const [, id = '', verb = ''] = /^\/api\/approvals\/?([^/]*)\/?(.*)$/.exec(url.pathname) ?? [];
    if (id === '') return create(body, String(request.headers['idempotency-key']));
    const approval = approvals.get(id);
    if (!approval) return problem(404, 'There is no such approval.');
    const { status } = approval;
    if (verb === '') {
      const waitMs = Number(url.searchParams.get('wait')) * 1_000;
      await changed(() => approvals.get(id)?.status !== 'pending', { request, waitMs });
      return [200, approvals.get(id)] as const;
    }
    if (verb === 'cancel') {
      const isOpen = status === 'pending' || status === 'approved';
      if (!isOpen) return problem(409, 'It is too late.');
      return [200, put({ ...approval, status: 'withdrawn' })] as const;
    }
    if (verb === 'consume') {
      if (status !== 'approved') return problem(409, 'It is not approved.');
      if (body.digest !== approval.digest) return problem(409, 'That is another digest.');
      return [200, { token: 'jws', approval: put({ ...approval, status: 'running' }) }] as const;
    }
    if (status !== 'running') return problem(409, 'It is not running.');
    const outcome = body.outcome as { status: 'succeeded' | 'failed'; text?: string };
    const reason = outcome.text ?? null;
    return [200, put({ ...approval, status: outcome.status, reason })] as const;
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').split('?')[0] ?? '';
    asked.push(`${request.method} ${path.replace(/^\/api\/approvals(\/call_[^/]*)?/, '') || '/'}`);
    const body = await readBody(request);
    bodies.push(body);
    const at = faults.findIndex(([end]) => path.endsWith(end));
    const fault = at < 0 ? undefined : faults.splice(at, 1)[0]?.[1];
    if (fault === 'drop') return void request.socket.destroy();
    if (fault === 'garbage') return void response.end('<html>');
    if (typeof fault === 'object') {
      response.setHeader('retry-after', '0');
      return send(response, problem(fault.status, 'As told.'));
    }
    if (request.headers.authorization !== `Bearer ${key}`) {
      return send(response, problem(401, 'This key opens nothing.'));
    }
    const answered = await answer(request, body);
    if (fault === 'drop-after') return void request.socket.destroy();
    send(response, answered);
  }

  function alter(change: Partial<Approval>): Approval {
    const newest = [...approvals.values()].at(-1);
    if (!newest) throw new Error('Nothing was asked for.');
    const digest = digestOf(change.arguments ?? newest.arguments);
    return put({ ...newest, decidedBy: 'U1', ...change, digest, revision: newest.revision + 1 });
  }

  const server = createServer((request, response) => void handle(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    key,
    asked,
    bodies,
    approvals: () => [...approvals.values()],
    async decide(change) {
      await changed(() => [...approvals.values()].at(-1)?.status === 'pending');
      return alter(change);
    },
    alter,
    fail: (end, ...more) =>
      void faults.push(...more.map((fault) => [end, fault] as [string, Fault])),
    revoke: () => {
      key = 'none';
    },
  };
}

function anApproval(id: string, toolName: string, args: Record<string, unknown>): Approval {
  return {
    id,
    status: 'pending',
    revision: 1,
    toolName,
    arguments: args,
    digest: digestOf(args),
    edited: false,
    decidedBy: null,
    approvedBy: [],
    reply: null,
    reason: null,
  };
}

function digestOf(args: unknown): string {
  return createHash('sha256').update(JSON.stringify(args)).digest('hex');
}

function problem(status: number, detail: string): readonly [number, unknown] {
  return [status, { type: 'about:blank', title: 'Problem', status, detail }];
}

function send(response: ServerResponse, [status, body]: readonly [number, unknown]): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text === '' ? {} : JSON.parse(text);
}
