import { randomUUID } from 'node:crypto';
import type { RawData, WebSocket } from 'ws';
import type { Clock } from '../../../domain/ports/clock.ts';
import { isJson, type Json, parseJson, toText } from '../json-value.ts';
import {
  ACK_LIMIT_MS,
  type Delivered,
  type DeliveryKind,
  type RetryMark,
  type Transport,
} from './transport.ts';

interface Pending {
  readonly socket: WebSocket;
  settle(delivered: Delivered): void;
}

/** Creates the envelopes of Socket Mode, each pending until its acknowledgement. */
export function createSocketEnvelopes(clock: Clock, pickSocket: () => WebSocket | undefined) {
  const pending = new Map<string, Pending>();
  /** Sends the envelopes that found no open socket. */
  const waiting = new Set<() => void>();

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
        const socket = pickSocket();
        if (socket === undefined) {
          waiting.add(send);
          return;
        }
        waiting.delete(send);
        pending.set(id, { socket, settle });
        socket.send(JSON.stringify(toEnvelope(id, kind, payload, retry)));
      };
      const cancel = clock.schedule(clock.now() + ACK_LIMIT_MS, () =>
        settle(unanswered('no acknowledgement within 3 s')),
      );
      send();
    });

  return {
    transport,
    receive(data: RawData): void {
      const message = parseJson(data.toString());
      if (!isJson(message)) {
        return;
      }
      pending.get(toText(message.envelope_id))?.settle({
        ack: { kind: 'acknowledged', body: message.payload ?? '' },
      });
    },
    sendWaiting(): void {
      for (const sendNow of [...waiting]) {
        sendNow();
      }
    },
    /** Ends the pending envelopes, of one socket if it is given. */
    fail(problem: string, socket?: WebSocket): void {
      for (const envelope of [...pending.values()]) {
        if (socket === undefined || envelope.socket === socket) {
          envelope.settle(unanswered(problem));
        }
      }
    },
  };
}

function toEnvelope(id: string, kind: DeliveryKind, payload: Json, retry?: RetryMark): Json {
  return {
    envelope_id: id,
    type: kind,
    payload,
    accepts_response_payload: kind !== 'events_api',
    ...(kind === 'events_api'
      ? { retry_attempt: retry?.num ?? 0, retry_reason: retry?.reason ?? '' }
      : {}),
  };
}

function unanswered(problem: string): Delivered {
  return { ack: { kind: 'unanswered' }, problem, retryReason: 'timeout' };
}
