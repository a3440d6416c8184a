import type { MaskedCall } from '../../domain/calls/call-secrets.ts';
import { type CallPreview, UNSEEN_BASIS } from '../../domain/calls/stored-preview.ts';
import { summarize } from '../../domain/cards/call-summary.ts';
import type { JsonValue } from '../../domain/json/json.ts';
import type { Preview, Tool } from '../../domain/tools/tool.ts';
import type { DeskDeps } from '../deps.ts';

/**
 * An edit must be previewed within Slack's 3 seconds, so a card does not wait longer for its
 * preview.
 */
const DEADLINE_MS = 1_500;
/** Summaries block the event loop. */
const MAX_SUMMARY_MS = 20;

type PreviewDeps = Pick<DeskDeps, 'clock' | 'log'>;

/**
 * Asks a tool for a preview and a one-line summary of a run. A tool that is slow or fails delays
 * nothing.
 */
export async function previewRun(
  deps: PreviewDeps,
  call: MaskedCall,
  tool: Tool,
  args: JsonValue,
): Promise<CallPreview> {
  const preview = await previewCall(deps, tool, args);
  const said = summaryOf(deps, tool, args);
  return { preview, summary: summarize({ call, tool, args, said, preview }) };
}

async function previewCall(
  { clock }: PreviewDeps,
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
        done({ text: 'The tool’s preview failed, so none is shown.', basis: UNSEEN_BASIS }),
      );
  });
}

/** Undefined if the tool gives no usable summary; the log says why. */
function summaryOf({ clock, log }: PreviewDeps, tool: Tool, args: JsonValue): string | undefined {
  const measure = () => {
    const begunAt = clock.now();
    const said: unknown = tool.summary?.(args);
    // Async summaries are not supported; a rejection must not end the process.
    if (said instanceof Promise) said.catch(() => {});
    return { said, tookMs: clock.now() - begunAt };
  };
  const ignore = (problem: string) =>
    log.warn({ tool: tool.name }, `A tool’s summary ${problem}, so its cards show none.`);
  try {
    let { said, tookMs } = measure();
    // The first try may include loading code or a busy machine.
    if (typeof said === 'string' && tookMs > MAX_SUMMARY_MS) ({ said, tookMs } = measure());
    if (typeof said === 'string' && tookMs <= MAX_SUMMARY_MS) return said;
    if (said !== undefined)
      ignore(typeof said === 'string' ? `took ${tookMs} ms` : 'is not a string');
  } catch {
    // The error is not logged, because it may quote the arguments.
    ignore('failed');
  }
  return undefined;
}
