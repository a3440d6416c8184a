import { useEffect, useRef, useState } from 'preact/hooks';
import type { WorkspaceView } from '../../workspace/workspace-port.ts';
import type { Backend } from './backend.ts';

/** What the current person sees, updated live. */
export interface LiveWorkspaceView {
  readonly workspace: WorkspaceView | undefined;
  /** Increases with each change of the workspace. */
  readonly revision: number;
  readonly isConnected: boolean;
}

/** Follows the server's changes. Any number of changes during a fetch cause only one more fetch. */
export function useLiveWorkspaceView(
  backend: Backend,
  onError: (error: unknown) => void,
): LiveWorkspaceView {
  const [latest, setLatest] = useState<{ backend: Backend; workspace: WorkspaceView }>();
  const [revision, setRevision] = useState(0);
  const [isConnected, setConnected] = useState(true);
  const refresh = useRef<() => void>(() => undefined);

  useEffect(() => {
    let isCurrent = true;
    refresh.current = coalesce(async () => {
      try {
        const next = await backend.workspace();
        if (isCurrent) setLatest({ backend, workspace: next });
      } catch (error) {
        if (isCurrent) onError(error);
      }
    });
    refresh.current();
    return () => {
      isCurrent = false;
    };
  }, [backend]);

  useEffect(() => {
    const changes = new EventSource('/ui/changes');
    changes.addEventListener('change', () => {
      setConnected(true);
      setRevision((before) => before + 1);
      refresh.current();
    });
    changes.addEventListener('error', () => setConnected(false));
    return () => changes.close();
  }, []);

  // Never show another person's view, even briefly.
  const workspace = latest?.backend === backend ? latest.workspace : undefined;
  return { workspace, revision, isConnected };
}

/** Runs the work now. Calls during a run cause one more run afterwards. */
function coalesce(work: () => Promise<void>): () => void {
  let isRunning = false;
  let isRequested = false;
  const run = async () => {
    isRunning = true;
    do {
      isRequested = false;
      await work();
    } while (isRequested);
    isRunning = false;
  };
  return () => {
    if (isRunning) isRequested = true;
    else void run();
  };
}
