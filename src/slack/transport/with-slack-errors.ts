import { toChatError } from './slack-errors.ts';

/** Runs `work`; a failure is rejected as a `ChatError` that says what could not be done. */
export async function withSlackErrors<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toChatError(error, what);
  }
}
