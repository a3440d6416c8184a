import { createContext, Script } from 'node:vm';

/**
 * Creates a function that runs synchronous work with a timeout, regular expressions included.
 * Throws `ERR_SCRIPT_EXECUTION_TIMEOUT` when time is up.
 */
export function createTimeLimit(): (work: () => unknown, timeoutMs: number) => unknown {
  const sandbox: { work?: () => unknown } = {};
  createContext(sandbox);
  const script = new Script('work()');
  return (work, timeoutMs) => {
    sandbox.work = work;
    try {
      return script.runInContext(sandbox, { timeout: timeoutMs });
    } finally {
      delete sandbox.work;
    }
  };
}
