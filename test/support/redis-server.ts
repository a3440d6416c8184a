import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { makeTempDir } from './temp-dir.ts';

export interface RedisServer {
  /** Of a socket file: tests take no ports. */
  readonly url: string;
  readonly pid: number;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

/** Starts a real redis-server with data of its own. */
export async function startRedis(settings: readonly string[] = []): Promise<RedisServer> {
  const { path, remove } = await makeTempDir();
  const socket = join(path, 'redis.sock');
  const child = spawn(
    'redis-server',
    ['--port', '0', '--unixsocket', socket, '--dir', path, '--save', '', ...settings],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const exit = once(child, 'exit');
  await new Promise<void>((resolve, reject) => {
    child.on('error', reject);
    exit.then(() => reject(new Error('redis-server ended before it was ready.')), reject);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (/ready to accept connections/i.test(text)) resolve();
    });
  });
  return {
    url: `unix://${socket}`,
    pid: child.pid ?? 0,
    async stop() {
      child.kill('SIGKILL');
      await exit;
      await remove();
    },
  };
}
