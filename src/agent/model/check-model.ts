import type { Clock } from '../../domain/clock.ts';
import type { Log } from '../../domain/log.ts';
import { type ChatModel, ModelSettingError } from '../model.ts';
import { sayFailure, toolRemedy } from '../model-failure.ts';
import { type ModelProbe, probeModel } from './probe-model.ts';

/** A model that takes longer is waited for behind the start. */
const MOST_WAIT_MS = 5_000;

interface CheckDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** Ends a check that is still under way. */
  readonly signal: AbortSignal;
}

/**
 * Checks the model at the start and logs one line. Rejects when the server says within a few seconds
 * that the model can't call tools; everything else only warns, for it may pass or be mended.
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
  let cancel = () => {};
  const late = new Promise<void>((resolve) => {
    cancel = clock.schedule(clock.now() + MOST_WAIT_MS, () => {
      isLate = true;
      log.warn({ model: model.name }, 'The model has not answered yet; the app starts meanwhile.');
      resolve();
    });
  });
  // Once it is late nobody waits for it.
  checked.catch((error: unknown) => {
    if (isLate && !signal.aborted) log.error({ err: error }, 'The model could not be checked.');
  });
  try {
    await Promise.race([checked, late]);
  } finally {
    cancel();
  }
}

/** Logs what was found, and returns why the app should not start with it. */
function report(model: ChatModel, probe: ModelProbe, log: Log): string | undefined {
  const fields = { model: model.name, ...probe };
  if (probe.tools === 'refused') return sayRefused(model, probe);
  if (probe.tools === 'called') {
    log.info(fields, 'The model answers and calls tools.');
  } else if (probe.tools === 'not called') {
    log.warn(
      fields,
      'The model answers, and did not call the tool that it was asked to call. If it never does, set MODEL to one that calls tools.',
    );
  } else {
    const sentence = probe.failure ? sayFailure(probe.failure, model.variables, probe.said) : '';
    log.warn(fields, `The model could not be checked. ${sentence}`);
  }
  return undefined;
}

function sayRefused({ name }: ChatModel, { said = '' }: ModelProbe): string {
  return `The model ${name}, or its server, can’t call tools (it says “${said}”), and the agent works through them. To help this, ${toolRemedy(said)}. To start all the same, for conversation without tools, set ALLOW_MODEL_WITHOUT_TOOLS=1.`;
}
