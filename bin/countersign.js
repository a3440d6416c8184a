#!/usr/bin/env node
// An agent lets its tool run when its hook breaks, but for this exit code.
if (process.argv[2] === 'hook') {
  process.on('uncaughtException', (error) => {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
    process.exit(2);
  });
}
const { join } = await import('node:path');
const { pathToFileURL } = await import('node:url');
const { bundleApp } = await import('./bundle.js');

process.setSourceMapsEnabled(true);
await import(pathToFileURL(join(await bundleApp(), 'cli.js')).href);
