import { useState } from 'preact/hooks';
import type { WorkspaceMessage } from '../../workspace/workspace-port.ts';
import { usePageContext } from '../state/names.ts';
import { useUi } from '../state/ui.ts';
import { decodeTyped, encodeTyped } from '../text/typed-text.ts';

/** Shows an editor in place of a message's text. */
export function MessageEditor(props: { message: WorkspaceMessage; onDone(): void }) {
  const { backend, attempt } = useUi();
  const { app } = usePageContext().start;
  const { channel, ts, text } = props.message;
  const [typed, setTyped] = useState(() => decodeTyped(text, app));
  const save = async () => {
    await attempt(backend.edit({ channel, ts, text: encodeTyped(typed, app) }));
    props.onDone();
  };
  return (
    <div class="editor">
      <textarea
        aria-label="Edit message"
        rows={3}
        value={typed}
        autofocus
        onInput={(event) => setTyped(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') props.onDone();
        }}
      />
      <div class="row">
        <button type="button" class="button plain" onClick={props.onDone}>
          Cancel
        </button>
        <button
          type="button"
          class="button primary filled"
          disabled={typed.trim() === ''}
          onClick={() => void save()}
        >
          Save
        </button>
      </div>
    </div>
  );
}
