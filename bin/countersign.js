#!/usr/bin/env node
// An agent lets its tool run when its hook breaks, but for this exit code.
const isHook = process.argv[2] === 'hook';
if (isHook) {
  process.on('uncaughtException', (error) => {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
    process.exit(2);
  });
}
const { importApp } = await import('./bundle.js');
await importApp('cli', isHook ? 2 : 1);
