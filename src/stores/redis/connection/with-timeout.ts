/** Rejects after `ms` of real time. Not the app's clock, which tests can stop. */
export async function withTimeout<T>(ms: number, answer: Promise<T>): Promise<T> {
  return await new Promise<T>((resolve, reject) => {
    const silent = () => reject(new Error(`No answer within ${Math.round(ms)} ms.`));
    // After a pause of the process, timers fire first. Replies that already arrived must still win.
    const timer = setTimeout(() => setImmediate(silent), ms);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
