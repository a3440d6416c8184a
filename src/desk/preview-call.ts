import type { Clock } from '../domain/clock.ts';
import type { JsonValue } from '../domain/json.ts';
import { UNSEEN } from '../domain/stored-preview.ts';
import type { Preview, Tool } from '../domain/tool.ts';

/** A card must not wait for its preview: an edit is previewed before Slack's three seconds are over. */
const DEADLINE_MS = 1_500;

/** Asks a tool what a run would do; one that does not answer in time, or breaks, is said to, and holds nothing up. */
export async function previewCall(
  tool: Tool,
  args: JsonValue,
  clock: Clock,
): Promise<Preview | undefined> {
  if (!tool.preview) return undefined;
  return await new Promise((resolve) => {
    const done = (preview: Preview | undefined) => {
      cancel();
      resolve(preview);
    };
    const cancel = clock.schedule(clock.now() + DEADLINE_MS, () =>
      resolve({ text: 'The tool’s preview took too long, so none is shown.', basis: UNSEEN }),
    );
    Promise.resolve()
      .then(() => tool.preview?.(args))
      .then(done, () =>
        done({ text: 'The tool’s preview broke, so none is shown.', basis: UNSEEN }),
      );
  });
}
