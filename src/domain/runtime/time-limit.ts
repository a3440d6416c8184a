import { createContext, Script } from 'node:vm';

/** Makes a function that runs work that doesn't wait, and throws an `ERR_SCRIPT_EXECUTION_TIMEOUT` when it takes longer, a regular expression included. */
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
