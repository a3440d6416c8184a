/** Wraps redis@4: a client lives as long as its connection and never reconnects by itself. */
import { isIP } from 'node:net';
import { createClient, createCluster } from 'redis';
import type { Log } from '../../../domain/ports/log.ts';
import { withTimeout } from './with-timeout.ts';

export type RedisClient = ReturnType<typeof createClient>;
export type RedisCluster = ReturnType<typeof createCluster>;

/** A client hanging in its TCP connection can't be closed, so its timeout must be shorter than ours. */
const TCP_MS = 2_000;
const OPEN_MS = 3_000;

/** Disconnects at once: a graceful quit would wait for a dead server. */
export function disconnectNow(client: RedisClient | RedisCluster, log: Log): void {
  client.disconnect().catch((error: unknown) => {
    log.debug({ err: error }, 'The connection to Redis was already closed.');
  });
}

/** Connects to one server; `broke` is called when the connection breaks. `asked` is the configured URL, if it differs. Rejects within 3 s. */
export async function openClient(
  address: string,
  broke: (error: unknown) => void,
  asked = address,
): Promise<RedisClient> {
  const { socket, ...rest } = address.startsWith('unix://')
    ? { socket: { path: address.slice('unix://'.length) } }
    : { url: address, socket: tlsOf(address, asked) };
  const client: RedisClient = createClient({
    ...rest,
    socket: { ...socket, connectTimeout: TCP_MS, reconnectStrategy: false },
    // Commands fail while disconnected, rather than wait in a hidden queue.
    disableOfflineQueue: true,
  });
  client.on('error', broke);
  const connecting = client.connect();
  try {
    await withTimeout(OPEN_MS, connecting);
  } catch (error) {
    if (client.isOpen) await client.disconnect().catch(() => undefined);
    throw error;
  }
  return client;
}

/** TLS server name (SNI), which Node sends only if it is set; IP addresses are not allowed as one. */
function tlsOf(address: string, asked: string): { tls: true; servername?: string } | object {
  if (!address.startsWith('rediss:')) return {};
  const name = [address, asked]
    .filter((each) => URL.canParse(each))
    .map((each) => new URL(each).hostname)
    .find((host) => isIP(host.replace(/^\[|\]$/g, '')) === 0);
  return { tls: true, ...(name !== undefined && { servername: name }) };
}

function placeOf(address: string, asked: string) {
  const colon = address.lastIndexOf(':');
  const [host, port] = [address.slice(0, colon), Number(address.slice(colon + 1))];
  return { host, port, ...tlsOf(`rediss://${host.includes(':') ? `[${host}]` : host}`, asked) };
}

/** Addresses of the primaries of a server's cluster; undefined if it is not in a cluster. */
export async function clusterNodesOf(
  client: RedisClient,
  url: string,
): Promise<readonly string[] | undefined> {
  const info = await withTimeout(OPEN_MS, client.info('cluster'));
  if (!/^cluster_enabled:1/m.test(info)) return undefined;
  const ask = client.sendCommand<readonly (readonly unknown[])[]>(['CLUSTER', 'SLOTS']);
  const slots = await withTimeout(OPEN_MS, ask);
  const asked = url.startsWith('unix://') ? new URL('redis://127.0.0.1') : new URL(url);
  const nodes = slots.map(([, , node]) => {
    const [host, port] = node as readonly [string | null, number];
    const at = new URL(asked);
    // A node that doesn't know its own host is at the address that was used.
    at.hostname = host || asked.hostname;
    at.port = String(port);
    return at.href;
  });
  return [...new Set(nodes)];
}

/** Connects to a cluster by any of its nodes; `broke` is called when any of its connections breaks. */
export async function openCluster(
  nodes: readonly string[],
  url: string,
  broke: (error: unknown) => void,
): Promise<RedisCluster> {
  const { username, password } = url.startsWith('unix://')
    ? { username: '', password: '' }
    : new URL(url);
  const isTls = url.startsWith('rediss:');
  const cluster = createCluster({
    rootNodes: nodes.map((each) => ({ url: each, socket: tlsOf(each, url) })),
    // Nodes that the cluster names later need their own TLS server names too.
    ...(isTls && { nodeAddressMap: (address: string) => placeOf(address, url) }),
    // One unavailable primary must not block the others.
    minimizeConnections: true,
    defaults: {
      ...(username !== '' && { username: decodeURIComponent(username) }),
      ...(password !== '' && { password: decodeURIComponent(password) }),
      disableOfflineQueue: true,
      socket: {
        connectTimeout: TCP_MS,
        reconnectStrategy: false,
        ...(isTls && { tls: true as const }),
      },
    },
  });
  cluster.on('error', broke);
  try {
    await withTimeout(OPEN_MS, cluster.connect());
  } catch (error) {
    await cluster.disconnect().catch(() => undefined);
    throw error;
  }
  return cluster as RedisCluster;
}
