import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Clock } from '../../../domain/ports/clock.ts';
import type { WorkspaceJournal } from '../workspace-journal.ts';
import { IDENTITY } from '../workspace-seed.ts';
import { createSocketEnvelopes } from './socket-envelopes.ts';
import type { Transport } from './transport.ts';

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

/** Creates the hub. It accepts only connections with an issued ticket. */
export function createSocketHub(clock: Clock, journal: WorkspaceJournal): SocketHub {
  const server = new WebSocketServer({ noServer: true });
  const tickets = new Set<string>();
  const open = new Set<WebSocket>();
  const all = new Set<WebSocket>();
  const envelopes = createSocketEnvelopes(clock, pick);
  let turn = 0;

  function accept(socket: WebSocket): void {
    all.add(socket);
    open.add(socket);
    const pinging = setInterval(() => socket.ping(), PING_EVERY_MS);
    pinging.unref();
    socket.on('message', envelopes.receive);
    socket.on('error', (error) =>
      journal.note('socket', 'error', {}, { ok: false, problem: error.message }),
    );
    socket.on('close', () => {
      clearInterval(pinging);
      all.delete(socket);
      open.delete(socket);
      envelopes.fail('the socket closed before the acknowledgement', socket);
      journal.note('socket', 'close', {}, { ok: true });
    });
    const hello = { type: 'hello', num_connections: open.size, debug_info: {} };
    socket.send(JSON.stringify({ ...hello, connection_info: { app_id: IDENTITY.app.id } }));
    journal.note('socket', 'hello', { connections: open.size }, { ok: true });
    envelopes.sendWaiting();
  }

  function pick(): WebSocket | undefined {
    const sockets = [...open];
    turn += 1;
    return sockets[turn % sockets.length];
  }

  return {
    transport: envelopes.transport,
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
      envelopes.fail('the workspace stopped');
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
