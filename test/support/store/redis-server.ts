import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { makeTempDir } from '../temp-dir.ts';

export interface RedisServer {
  /** The address of a socket file: tests use no ports. */
  readonly url: string;
  readonly pid: number;
  /** Crashes it and restarts it on its data, as far as `settings` made it durable. */
  restart(): Promise<void>;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

/** Starts a real redis-server with its own data. */
export async function startRedis(settings: readonly string[] = []): Promise<RedisServer> {
  const { path, remove } = await makeTempDir();
  const socket = join(path, 'redis.sock');
  const base = ['--port', '0', '--unixsocket', socket, '--dir', path, '--save', ''];
  let running = await launchRedis([...base, ...settings]);
  return {
    url: `unix://${socket}`,
    get pid() {
      return running.pid;
    },
    async restart() {
      await running.kill();
      running = await launchRedis([...base, ...settings]);
    },
    async stop() {
      await running.kill();
      await remove();
    },
  };
}

/** Starts a redis-server and waits until it accepts connections. */
export async function launchRedis(
  args: readonly string[],
): Promise<{ readonly pid: number; kill(): Promise<void> }> {
  const child = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const exit = once(child, 'exit');
  await new Promise<void>((resolve, reject) => {
    child.on('error', reject);
    exit.then(() => reject(new Error('redis-server ended before it was ready.')), reject);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (/ready to accept connections/i.test(text)) resolve();
    });
  });
  return {
    pid: child.pid ?? 0,
    async kill() {
      child.kill('SIGKILL');
      await exit;
    },
  };
}
