#!/usr/bin/env node
// An agent lets its tool run however its hook ends, but for this exit code.
const BLOCKS = 2;
const isHook = process.argv[2] === 'hook';
if (isHook) blockUnlessDone();
const { importApp } = await import('./bundle.js');
await importApp('cli', isHook ? BLOCKS : 1);
// It has answered: a desk that hangs must not keep the agent, or have it kill its hook.
if (isHook) process.exit();

function blockUnlessDone() {
  process.exitCode = BLOCKS;
  process.on('uncaughtException', (error) => {
    try {
      const said = String(error instanceof Error ? error.stack : error);
      process.stderr.write(`${said.replace(/[^\P{C}\n]/gu, '\u{fffd}')}\n`);
    } finally {
      process.exit(BLOCKS);
    }
  });
  let isTold = false;
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGALRM', 'SIGUSR2']) {
    process.on(signal, () => {
      // The first one is the command's to answer, as soon as it listens.
      if (isTold || process.listenerCount(signal) === 1) process.exit(BLOCKS);
      isTold = true;
    });
  }
}
