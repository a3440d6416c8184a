/** A TCP proxy in front of a server that injects faults. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface FaultProxy {
  /** A free port on loopback. */
  readonly port: number;
  /** From now on all data is dropped silently; `heal` ends it, and dropped data stays lost. */
  blackHole(): void;
  /** From now on everything takes this long in each direction. */
  delay(ms: number): void;
  /** Breaks all connections, and refuses new ones until `heal`. */
  cut(): void;
  /** From now on requests arrive, and the next response is lost: its connection breaks instead. */
  loseNextAnswer(): void;
  /** The number of lost responses. */
  readonly lost: number;
  heal(): void;
  stop(): Promise<void>;
}

/** Starts a proxy in front of a socket file or a port. */
export async function startFaultProxy(
  target: { readonly path: string } | { readonly port: number },
): Promise<FaultProxy> {
  const pairs = new Map<Socket, Socket>();
  let mode: 'open' | 'cut' | 'black-hole' = 'open';
  let delayMs = 0;
  let losesNext = false;
  let lost = 0;

  const breakAll = () => {
    for (const [client, server] of pairs) for (const each of [client, server]) each.destroy();
  };

  function carry(from: Socket, to: Socket, isAnswer: boolean): void {
    from.on('data', (bytes) => {
      if (mode === 'black-hole') return;
      if (isAnswer && losesNext) {
        losesNext = false;
        lost += 1;
        from.destroy();
        to.destroy();
        return;
      }
      if (delayMs === 0) to.write(bytes);
      else setTimeout(() => to.writable && to.write(bytes), delayMs);
    });
    from.on('error', () => to.destroy());
    from.on('close', () => {
      pairs.delete(from);
      if (mode !== 'black-hole') to.destroy();
    });
  }

  const server = createServer((client) => {
    if (mode === 'cut') return void client.destroy();
    const behind = connect({ host: '127.0.0.1', ...target });
    pairs.set(client, behind);
    carry(client, behind, false);
    carry(behind, client, true);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    port: (server.address() as AddressInfo).port,
    blackHole() {
      mode = 'black-hole';
    },
    delay(ms) {
      delayMs = ms;
    },
    cut() {
      mode = 'cut';
      breakAll();
    },
    loseNextAnswer() {
      losesNext = true;
    },
    get lost() {
      return lost;
    },
    heal() {
      // A connection that lost data is unusable: it ends here.
      if (mode === 'black-hole') breakAll();
      mode = 'open';
      delayMs = 0;
      losesNext = false;
    },
    async stop() {
      const closed = once(server, 'close');
      server.close();
      breakAll();
      await closed;
    },
  };
}
