import { type CallPreview, UNSEEN_BASIS } from '../../domain/calls/stored-preview.ts';
import { summarize } from '../../domain/cards/call-summary.ts';
import type { JsonValue } from '../../domain/json/json.ts';
import type { MaskedCall } from '../../domain/secrets/call-secrets.ts';
import type { Preview, Tool } from '../../domain/tools/tool.ts';
import type { DeskDeps } from '../deps.ts';

/** A card must not wait for its preview: an edit is previewed before Slack's three seconds are over. */
const DEADLINE_MS = 1_500;
/** Nothing else runs while a summary is made. */
const MAX_SUMMARY_MS = 20;

type ShowDeps = Pick<DeskDeps, 'clock' | 'log'>;

/** Asks a tool what a run of a call would do, in whole and in one line; a tool that does not answer in time, or breaks, holds nothing up. */
export async function previewRun(
  deps: ShowDeps,
  call: MaskedCall,
  tool: Tool,
  args: JsonValue,
): Promise<CallPreview> {
  const preview = await previewCall(deps, tool, args);
  const said = askSummary(deps, tool, args);
  return { preview, summary: summarize({ call, tool, args, said, preview }) };
}

async function previewCall(
  { clock }: ShowDeps,
  tool: Tool,
  args: JsonValue,
): Promise<Preview | undefined> {
  if (!tool.preview) return undefined;
  return await new Promise((resolve) => {
    const done = (preview: Preview | undefined) => {
      cancel();
      resolve(preview);
    };
    const cancel = clock.schedule(clock.now() + DEADLINE_MS, () =>
      resolve({ text: 'The tool’s preview took too long, so none is shown.', basis: UNSEEN_BASIS }),
    );
    Promise.resolve()
      .then(() => tool.preview?.(args))
      .then(done, () =>
        done({ text: 'The tool’s preview broke, so none is shown.', basis: UNSEEN_BASIS }),
      );
  });
}

/** Undefined where the tool says nothing of use; the operator is told why. */
function askSummary({ clock, log }: ShowDeps, tool: Tool, args: JsonValue): string | undefined {
  const ask = () => {
    const begunAt = clock.now();
    const said: unknown = tool.summary?.(args);
    // What is answered later would be of no use, and must not end the process when it fails.
    if (said instanceof Promise) said.catch(() => {});
    return { said, tookMs: clock.now() - begunAt };
  };
  const ignore = (problem: string) =>
    log.warn({ tool: tool.name }, `The summary of a tool ${problem}, so its cards are without.`);
  try {
    let { said, tookMs } = ask();
    // The first time may have waited for code to load, or for the machine.
    if (typeof said === 'string' && tookMs > MAX_SUMMARY_MS) ({ said, tookMs } = ask());
    if (typeof said === 'string' && tookMs <= MAX_SUMMARY_MS) return said;
    if (said !== undefined) ignore(typeof said === 'string' ? `took ${tookMs} ms` : 'is no text');
  } catch {
    // What is wrong may quote the arguments.
    ignore('failed');
  }
  return undefined;
}
