import type { KnownBlock } from '@slack/types';
import { useEffect, useMemo } from 'preact/hooks';
import { Blocks } from '../blocks/block-view.tsx';
import { ElementHostContext } from '../state/element-host.ts';
import { usePageContext } from '../state/names.ts';
import { createFormHost, useUi } from '../state/ui.ts';

/** Shows the current person's App Home, and notifies the app that it was opened. */
export function HomeTab() {
  const ui = useUi();
  const { workspace, start } = usePageContext();
  const { backend, attempt } = ui;
  useEffect(() => {
    void attempt(backend.openHome());
  }, [backend]);
  const host = useMemo(() => createFormHost(ui, (press) => ui.backend.clickInHome(press)), [ui]);
  return (
    <div class="home" role="tabpanel" aria-label="Home">
      {workspace.home === undefined ? (
        <p class="muted">{start.app.name} has not published a home tab for you yet.</p>
      ) : (
        <ElementHostContext.Provider value={host}>
          <Blocks blocks={workspace.home.blocks as readonly KnownBlock[]} />
        </ElementHostContext.Provider>
      )}
    </div>
  );
}
