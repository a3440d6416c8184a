import { useState } from 'preact/hooks';
import { usePageContext } from '../state/names.ts';
import { useUi } from '../state/ui.ts';

/** Shows suggestions. Clicking one runs it and opens its thread. */
export function Suggestions({ channel }: { channel: string }) {
  const { suggestions } = usePageContext().start;
  const { backend, attempt, go, notify } = useUi();
  const [isBusy, setBusy] = useState(false);
  if (suggestions.length === 0) return null;
  const choose = async (label: string) => {
    setBusy(true);
    const done = await attempt(backend.tryOut({ channel, label }));
    setBusy(false);
    if (done?.note !== undefined) notify(done.note);
    if (done?.ts !== undefined) go({ channel, thread: done.ts, tab: 'messages' });
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset can't be a flex row in every browser.
    <div class="suggestions" role="group" aria-label="Suggested messages">
      {suggestions.map(({ label, text }) => (
        <button
          key={label}
          type="button"
          class="chip"
          title={text}
          disabled={isBusy}
          onClick={() => void choose(label)}
        >
          {label}
        </button>
      ))}
    </div>
  );
}
