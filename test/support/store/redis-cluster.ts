/** Real clusters of redis-servers on loopback, created by hand: `redis-cli --cluster` waits for seconds. */
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { createClient } from 'redis';
import { makeTempDir } from '../temp-dir.ts';
import { until } from '../until.ts';
import { launchRedis } from './redis-server.ts';

const SLOTS = 16_384;
const MASTERS = 3;

export interface ClusterNode {
  readonly port: number;
  readonly id: string;
  /** Sends a command to this node, whichever slots it owns. */
  send(...args: readonly string[]): Promise<unknown>;
  kill(): Promise<void>;
}

export interface RedisCluster {
  /** The address of one of its nodes. */
  readonly url: string;
  readonly masters: readonly ClusterNode[];
  /** The replica of each master, if requested, in the order of the masters. */
  readonly replicas: readonly ClusterNode[];
  /** The master that owns the slot of a key, on which all nodes agree now. */
  ownerOf(key: string): Promise<ClusterNode>;
  stop(): Promise<void>;
}

/** Starts three masters, each with a replica if requested, and waits until all of them agree. */
export async function startCluster(
  options: { readonly withReplicas?: boolean; readonly settings?: readonly string[] } = {},
): Promise<RedisCluster> {
  const { path, remove } = await makeTempDir();
  const count = options.withReplicas ? 2 * MASTERS : MASTERS;
  const ports = await findPorts(2 * count);
  const nodes: ClusterNode[] = [];
  for (let index = 0; index < count; index += 1) {
    const [port = 0, bus = 0] = ports.slice(2 * index, 2 * index + 2);
    nodes.push(await startNode(join(path, String(index)), port, bus, options.settings ?? []));
  }
  const masters = nodes.slice(0, MASTERS);
  const replicas = nodes.slice(MASTERS);
  const [first, ...others] = nodes;
  if (!first) throw new Error('A cluster has nodes.');
  for (const [index, { port }] of others.entries()) {
    const bus = ports[2 * (index + 1) + 1] ?? 0;
    await first.send('CLUSTER', 'MEET', '127.0.0.1', String(port), String(bus));
  }
  for (const [index, node] of masters.entries()) {
    const [from, to] = [index, index + 1].map((n) => Math.floor((n * SLOTS) / MASTERS));
    await node.send('CLUSTER', 'ADDSLOTSRANGE', String(from), String((to ?? 0) - 1));
  }
  await agree(nodes, count);
  for (const [index, node] of replicas.entries()) {
    await node.send('CLUSTER', 'REPLICATE', masters[index]?.id ?? '');
  }
  await until(async () => (await Promise.all(replicas.map(isInSync))).every(Boolean));

  return {
    url: `redis://127.0.0.1:${first.port}`,
    masters,
    replicas,
    async ownerOf(key) {
      const slot = await first.send('CLUSTER', 'KEYSLOT', key);
      const all = (await first.send('CLUSTER', 'SLOTS')) as readonly SlotRange[];
      const found = all.find(([from, to]) => from <= Number(slot) && Number(slot) <= to);
      const node = nodes.find(({ port }) => port === found?.[2][1]);
      if (!node) throw new Error(`No node has slot ${slot}.`);
      return node;
    },
    async stop() {
      await Promise.all(nodes.map((node) => node.kill()));
      await remove();
    },
  };
}

type SlotRange = readonly [from: number, to: number, master: readonly [host: string, port: number]];

async function startNode(
  dir: string,
  port: number,
  bus: number,
  settings: readonly string[],
): Promise<ClusterNode> {
  await mkdir(dir);
  const own = ['--port', String(port), '--bind', '127.0.0.1', '--cluster-port', String(bus)];
  const cluster = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '1000'];
  const rest = ['--dir', dir, '--save', '', '--repl-diskless-sync-delay', '0', ...settings];
  const { kill } = await launchRedis([...own, ...cluster, ...rest]);
  const client = createClient({ url: `redis://127.0.0.1:${port}` });
  // It may be killed before its client is closed.
  client.on('error', () => {});
  await client.connect();
  return {
    port,
    id: await client.sendCommand<string>(['CLUSTER', 'MYID']),
    send: (...args) => client.sendCommand([...args]),
    async kill() {
      if (client.isOpen) await client.disconnect();
      await kill();
    },
  };
}

async function agree(nodes: readonly ClusterNode[], count: number): Promise<void> {
  await until(async () => {
    const infos = await Promise.all(nodes.map((node) => node.send('CLUSTER', 'INFO')));
    return infos.every(
      (info) =>
        /cluster_state:ok/.test(String(info)) &&
        String(info).includes(`cluster_known_nodes:${count}`),
    );
  });
}

async function isInSync(node: ClusterNode): Promise<boolean> {
  return /master_link_status:up/.test(String(await node.send('INFO', 'replication')));
}

/** Distinct free ports. */
async function findPorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  for (const server of servers) server.close();
  await Promise.all(servers.map((server) => once(server, 'close')));
  return ports;
}
