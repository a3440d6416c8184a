/** Waits for an answer of the network; rejects after `ms`, in the machine's own time: a server is not alive because the app's clock stands still. */
export async function withTimeout<T>(ms: number, answer: Promise<T>): Promise<T> {
  return await new Promise<T>((resolve, reject) => {
    const silent = () => reject(new Error(`No answer came within ${Math.round(ms)} ms.`));
    // A process that stood still finds its timers due before what has long arrived is read.
    const timer = setTimeout(() => setImmediate(silent), ms);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
