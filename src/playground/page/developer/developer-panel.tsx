import { useState } from 'preact/hooks';
import { FilesView } from './files-view.tsx';
import { GroupsView } from './groups-view.tsx';
import { JournalView } from './journal-view.tsx';

const TABS = { journal: 'Journal', files: 'Files', groups: 'Groups' } as const;

/**
 * Shows the traffic between Slack and the app, the agent's files, and the members of user groups.
 */
export function DeveloperPanel({ revision }: { revision: number }) {
  const [tab, setTab] = useState<keyof typeof TABS>('journal');
  const button = (name: keyof typeof TABS) => (
    <button type="button" role="tab" aria-selected={tab === name} onClick={() => setTab(name)}>
      {TABS[name]}
    </button>
  );
  return (
    <aside class="pane developer" aria-label="Developer">
      <header class="pane-head">
        <h2>Developer</h2>
        <div role="tablist" class="tabs" aria-label="Developer">
          {button('journal')}
          {button('files')}
          {button('groups')}
        </div>
      </header>
      <div class="developer-body" role="tabpanel" aria-label={TABS[tab]}>
        {tab === 'journal' && <JournalView revision={revision} />}
        {tab === 'files' && <FilesView revision={revision} />}
        {tab === 'groups' && <GroupsView />}
      </div>
    </aside>
  );
}
