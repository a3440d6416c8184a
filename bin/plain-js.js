/** Build options for the app and its tests: ESM for Node 20, packages stay external. */
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
