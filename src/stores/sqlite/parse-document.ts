/** Reads a stored JSON text; throws, naming what it is of, when it can't be read. The value is returned as it was stored. */
export function parseDocument<T>(text: string, what: string): T {
  try {
    return JSON.parse(text) as T;
  } catch (error) {
    throw new Error(
      `The stored ${what} can not be read: its JSON is damaged. Restore countersign.db from a backup.`,
      { cause: error },
    );
  }
}
