/** How TypeScript is made into modules that Node 20 reads, of the app and of its tests: packages stay where they are. */
export const PLAIN_JS = {
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  sourcemap: 'linked',
  sourcesContent: false,
  logLevel: 'error',
};
