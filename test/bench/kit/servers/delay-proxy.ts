import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy to a server that delays every response. */
export interface DelayProxy {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a proxy to the socket file of a server; responses arrive `ms` later, in order. */
export async function startDelayProxy(socketPath: string, ms: number): Promise<DelayProxy> {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (near) => {
    const far = connect(socketPath);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      // The `close` event then closes the other end.
      socket.on('error', () => socket.destroy());
    }
    near.on('data', (chunk) => far.write(chunk));
    far.on('data', (chunk) => setTimeout(() => near.writable && near.write(chunk), ms));
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `redis://127.0.0.1:${port}`,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
