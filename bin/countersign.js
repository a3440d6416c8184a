#!/usr/bin/env node
// An agent lets its tool run when its hook breaks, but for this exit code.
if (process.argv[2] === 'hook') {
  process.on('uncaughtException', (error) => {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
    process.exit(2);
  });
}
const { register } = await import('tsx/esm/api');

register();
await import('../src/cli.ts');
