#!/usr/bin/env node
// Exit code 2 is the only one with which a hook blocks the agent's tool.
const BLOCKS = 2;
const isHook = process.argv[2] === 'hook';
if (isHook) blockUnlessDone();
const { importApp } = await import('./bundle.js');
await importApp('cli', isHook ? BLOCKS : 1);
// The hook has answered. Open connections to a hanging desk must not keep the process alive.
if (isHook) process.exit();

function blockUnlessDone() {
  process.exitCode = BLOCKS;
  process.on('uncaughtException', (error) => {
    try {
      const text = String(error instanceof Error ? error.stack : error);
      process.stderr.write(`${text.replace(/[^\P{C}\n]/gu, '\u{fffd}')}\n`);
    } finally {
      process.exit(BLOCKS);
    }
  });
  let wasSignaled = false;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGALRM', 'SIGUSR2']) {
    process.on(signal, () => {
      // If the command listens too, it handles the first signal.
      if (wasSignaled || process.listenerCount(signal) === 1) process.exit(BLOCKS);
      wasSignaled = true;
    });
  }
}
