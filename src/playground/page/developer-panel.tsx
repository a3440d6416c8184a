import { useState } from 'preact/hooks';
import { FilesView } from './files-view.tsx';
import { JournalView } from './journal-view.tsx';

/** Shows what passes between Slack and the app, and the agent's files. */
export function DeveloperPanel({ revision }: { revision: number }) {
  const [tab, setTab] = useState<'journal' | 'files'>('journal');
  const button = (name: 'journal' | 'files', text: string) => (
    <button type="button" role="tab" aria-selected={tab === name} onClick={() => setTab(name)}>
      {text}
    </button>
  );
  return (
    <aside class="pane developer" aria-label="Developer">
      <header class="pane-head">
        <h2>Developer</h2>
        <div role="tablist" class="tabs" aria-label="Developer">
          {button('journal', 'Journal')}
          {button('files', 'Files')}
        </div>
      </header>
      <div
        class="developer-body"
        role="tabpanel"
        aria-label={tab === 'journal' ? 'Journal' : 'Files'}
      >
        {tab === 'journal' ? (
          <JournalView revision={revision} />
        ) : (
          <FilesView revision={revision} />
        )}
      </div>
    </aside>
  );
}
