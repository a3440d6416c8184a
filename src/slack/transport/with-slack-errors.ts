import { toChatError } from './slack-errors.ts';

/** Does what it is told; a failure is rejected as the error that the desk understands. */
export async function withSlackErrors<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toChatError(error, what);
  }
}
