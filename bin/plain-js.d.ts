import type { BuildOptions } from 'esbuild';

export declare const PLAIN_JS: BuildOptions;
