import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { Command, OutsideRequest, ToHarness, ToWorker } from '../lean/protocol.ts';

/** Answers the outside requests of a worker; gets a function that kills the process that asked. */
export type Outside = (request: OutsideRequest, kill: () => Promise<void>) => Promise<string>;

/** A worker's process. */
export interface LeanProcess {
  /** Resolves with the response; rejects with `DiedError` if the process dies first, and with any other error if it fails or does not answer. */
  ask<T>(command: Command): Promise<T>;
  /** Sets who answers its requests from now on. */
  serve(outside: Outside): void;
  isAlive(): boolean;
  /** Kills it with SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** Ends it after it has closed its store. */
  end(): Promise<void>;
}

/** The process died before it answered. */
export class DiedError extends Error {
  override readonly name = 'DiedError';
}

/** Longer than any command takes on a machine that is not stuck. */
const SILENCE_MS = 30_000;

/** Starts a process from the bundle of a worker. */
export function startLeanProcess(path: string): LeanProcess {
  const child = fork(path, [], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [] });
  const exit = once(child, 'exit');
  const waiting = new Map<number, { take(message: ToHarness): void; fail(error: Error): void }>();
  let asked = 0;
  let isGone = false;
  let outside: Outside = async () => {
    throw new Error('Nobody serves this process.');
  };

  child.on('message', (message: ToHarness) => {
    if (!('asks' in message)) return waiting.get(message.id)?.take(message);
    outside(message.request, kill).then(
      (value) => send(child, { answers: message.asks, value }),
      (error: unknown) => {
        for (const { fail } of waiting.values()) fail(error as Error);
      },
    );
  });
  exit.then(
    () => {
      isGone = true;
      for (const { fail } of waiting.values()) fail(new DiedError('The process died.'));
    },
    (error: Error) => {
      for (const { fail } of waiting.values()) fail(error);
    },
  );

  async function kill(): Promise<void> {
    child.kill('SIGKILL');
    await exit;
  }

  return {
    async ask<T>(command: Command): Promise<T> {
      if (isGone) throw new DiedError('The process is dead.');
      asked += 1;
      const id = asked;
      try {
        return await new Promise<T>((resolve, reject) => {
          const timer = setTimeout(
            () => reject(new Error(`“${command.op}” took longer than ${SILENCE_MS} ms.`)),
            SILENCE_MS,
          );
          const fail = (error: Error) => {
            clearTimeout(timer);
            reject(error);
          };
          const take = (message: ToHarness) => {
            clearTimeout(timer);
            if ('error' in message) reject(new Error(message.error));
            else if ('value' in message) resolve(message.value as T);
            // The serialization omits undefined values.
            else resolve(undefined as T);
          };
          waiting.set(id, { take, fail });
          send(child, { id, command });
        });
      } finally {
        waiting.delete(id);
      }
    },
    serve(next) {
      outside = next;
    },
    isAlive: () => !isGone,
    kill,
    async end() {
      if (isGone) return;
      child.disconnect();
      await exit;
    },
  };
}

function send(child: ChildProcess, message: ToWorker): void {
  // A dead process needs no response; its exit reports its death.
  if (child.connected) child.send(message, () => {});
}
