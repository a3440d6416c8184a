import { createContext, Script } from 'node:vm';

/**
 * Creates a function that runs synchronous work with a timeout, regular expressions included.
 * Throws `ERR_SCRIPT_EXECUTION_TIMEOUT` when time is up.
 */
export function createTimeLimit(): (work: () => unknown, timeoutMs: number) => unknown {
  const place: { work?: () => unknown } = {};
  createContext(place);
  const script = new Script('work()');
  return (work, timeoutMs) => {
    place.work = work;
    try {
      return script.runInContext(place, { timeout: timeoutMs });
    } finally {
      delete place.work;
    }
  };
}
