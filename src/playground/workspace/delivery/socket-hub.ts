import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import type { Clock } from '../../../domain/ports/clock.ts';
import { isJson, parseJson, toText } from '../json-value.ts';
import type { WorkspaceJournal } from '../workspace-journal.ts';
import { IDENTITY } from '../workspace-seed.ts';
import { ACK_LIMIT_MS, type Delivered, type Transport } from './transport.ts';

/** Clients disconnect 30 s after the last server ping. */
const PING_EVERY_MS = 10_000;

/** The Socket Mode side of the workspace. */
export interface SocketHub {
  readonly transport: Transport;
  /** Returns a ticket for one connection, as for `apps.connections.open`. */
  issueTicket(): string;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  isConnected(): boolean;
  disconnect(how: 'refresh' | 'drop'): void;
  /**
   * Closes every connection with a handshake. After an abrupt close a client keeps its process
   * alive for 30 s.
   */
  close(): Promise<void>;
}

interface Pending {
  readonly socket: WebSocket;
  settle(delivered: Delivered): void;
}

/** Creates the hub. It accepts only connections with an issued ticket. */
export function createSocketHub(clock: Clock, journal: WorkspaceJournal): SocketHub {
  const server = new WebSocketServer({ noServer: true });
  const tickets = new Set<string>();
  const open = new Set<WebSocket>();
  const all = new Set<WebSocket>();
  const pending = new Map<string, Pending>();
  const waiting = new Set<() => void>();
  let turn = 0;

  function accept(socket: WebSocket): void {
    all.add(socket);
    open.add(socket);
    const pinging = setInterval(() => socket.ping(), PING_EVERY_MS);
    pinging.unref();
    socket.on('message', (data) => receive(data));
    socket.on('error', (error) =>
      journal.note('socket', 'error', {}, { ok: false, problem: error.message }),
    );
    socket.on('close', () => {
      clearInterval(pinging);
      all.delete(socket);
      open.delete(socket);
      failEnvelopes(socket);
      journal.note('socket', 'close', {}, { ok: true });
    });
    const hello = { type: 'hello', num_connections: open.size, debug_info: {} };
    socket.send(JSON.stringify({ ...hello, connection_info: { app_id: IDENTITY.app.id } }));
    journal.note('socket', 'hello', { connections: open.size }, { ok: true });
    for (const sendNow of [...waiting]) {
      sendNow();
    }
  }

  function receive(data: RawData): void {
    const message = parseJson(data.toString());
    if (!isJson(message)) {
      return;
    }
    pending.get(toText(message.envelope_id))?.settle({
      ack: { kind: 'acknowledged', body: message.payload ?? '' },
    });
  }

  function failEnvelopes(socket: WebSocket): void {
    for (const envelope of [...pending.values()].filter((sent) => sent.socket === socket)) {
      envelope.settle(unanswered('the socket closed before the acknowledgement'));
    }
  }

  const transport: Transport = (kind, payload, retry) =>
    new Promise((resolve) => {
      const id = randomUUID();
      const settle = (delivered: Delivered): void => {
        cancel();
        waiting.delete(send);
        pending.delete(id);
        resolve(delivered);
      };
      const send = (): void => {
        const socket = pick();
        if (socket === undefined) {
          waiting.add(send);
          return;
        }
        waiting.delete(send);
        pending.set(id, { socket, settle });
        socket.send(
          JSON.stringify({
            envelope_id: id,
            type: kind,
            payload,
            accepts_response_payload: kind !== 'events_api',
            ...(kind === 'events_api'
              ? { retry_attempt: retry?.num ?? 0, retry_reason: retry?.reason ?? '' }
              : {}),
          }),
        );
      };
      const cancel = clock.schedule(clock.now() + ACK_LIMIT_MS, () =>
        settle(unanswered('no acknowledgement within 3 s')),
      );
      send();
    });

  function pick(): WebSocket | undefined {
    const sockets = [...open];
    turn += 1;
    return sockets[turn % sockets.length];
  }

  return {
    transport,
    issueTicket: () => {
      const ticket = randomUUID();
      tickets.add(ticket);
      return ticket;
    },
    upgrade: (request, socket, head) => {
      const ticket = new URL(request.url ?? '/', 'ws://localhost').searchParams.get('ticket') ?? '';
      if (!tickets.delete(ticket)) {
        socket.end('HTTP/1.1 401 Unauthorized\r\nConnection: close\r\n\r\n');
        return;
      }
      server.handleUpgrade(request, socket, head, accept);
    },
    isConnected: () => open.size > 0,
    disconnect: (how) => {
      for (const socket of [...open]) {
        open.delete(socket);
        if (how === 'drop') {
          socket.terminate();
        } else {
          const notice = { type: 'disconnect', reason: 'refresh_requested', debug_info: {} };
          socket.send(JSON.stringify(notice));
        }
      }
    },
    close: async () => {
      for (const envelope of [...pending.values()]) {
        envelope.settle(unanswered('the workspace stopped'));
      }
      await Promise.all([...all].map(closeSocket));
      server.close();
    },
  };
}

/** Uses real time: a peer that hangs must not delay the end of the process. */
const CLOSE_LIMIT_MS = 1_000;

function closeSocket(socket: WebSocket): Promise<void> {
  return new Promise((resolve) => {
    const limit = setTimeout(() => socket.terminate(), CLOSE_LIMIT_MS);
    socket.once('close', () => {
      clearTimeout(limit);
      resolve();
    });
    socket.close(1000);
  });
}

function unanswered(problem: string): Delivered {
  return { ack: { kind: 'unanswered' }, problem, retryReason: 'timeout' };
}
