import type { Clock } from '../../../domain/ports/clock.ts';
import type { Log } from '../../../domain/ports/log.ts';
import { withTimeout } from '../../../domain/runtime/timeout.ts';
import { type ChatModel, ModelSettingError } from '../create-chat-model.ts';
import { describeProbe } from './describe-probe.ts';
import { type ModelProbe, probeModel } from './probe-model.ts';

/** If the model takes longer, the app starts and the check continues in the background. */
const MAX_WAIT_MS = 5_000;

interface CheckDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** Aborts a running check. */
  readonly signal: AbortSignal;
}

/**
 * Checks the model at startup and logs one line. Rejects if the server says within a few seconds that
 * the model can't call tools. Other failures only log a warning: they may be transient.
 */
export async function checkModel(model: ChatModel, deps: CheckDeps): Promise<void> {
  const { clock, log, signal } = deps;
  let isLate = false;
  const checked = probeModel(model, { clock, signal }).then((probe) => {
    const problem = report(model, probe, log);
    if (problem === undefined) return;
    if (!isLate) throw new ModelSettingError(problem);
    log.error({ model: model.name }, problem);
  });
  // After the wait ended, nobody awaits `checked`: log its failure here.
  checked.catch((error: unknown) => {
    if (isLate && !signal.aborted) log.error({ err: error }, 'The model could not be checked.');
  });
  await withTimeout(clock, MAX_WAIT_MS, checked, () => {
    isLate = true;
    log.warn(
      { model: model.name },
      'The model has not answered yet; the app starts without waiting.',
    );
  });
}

/** Logs the probe's result. Returns a sentence if the app must not start with this model. */
function report(model: ChatModel, probe: ModelProbe, log: Log): string | undefined {
  const { kind, sentence } = describeProbe(model, probe);
  if (kind === 'refused') return sentence;
  log[kind === 'works' ? 'info' : 'warn']({ model: model.name, ...probe }, sentence);
  return undefined;
}
