import type { Log } from '../domain/ports/log.ts';

const silent = () => {};

/** A log that discards everything. */
export const SILENT_LOG: Log = { debug: silent, info: silent, warn: silent, error: silent };
