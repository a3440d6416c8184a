import { useEffect, useRef, useState } from 'preact/hooks';
import type { WorkspaceView } from '../../workspace/workspace-port.ts';
import type { Backend } from './backend.ts';

/** What the acting person sees, kept fresh. */
export interface LiveWorkspaceView {
  readonly sight: WorkspaceView | undefined;
  /** Grows with each change of the workspace. */
  readonly revision: number;
  readonly isConnected: boolean;
}

/** Follows the server's changes; while one look is under way, any number of changes cost one more. */
export function useLiveWorkspaceView(
  backend: Backend,
  onError: (error: unknown) => void,
): LiveWorkspaceView {
  const [held, setHeld] = useState<{ backend: Backend; sight: WorkspaceView }>();
  const [revision, setRevision] = useState(0);
  const [isConnected, setConnected] = useState(true);
  const look = useRef<() => void>(() => undefined);

  useEffect(() => {
    let isCurrent = true;
    look.current = oneAtATime(async () => {
      try {
        const next = await backend.sight();
        if (isCurrent) setHeld({ backend, sight: next });
      } catch (error) {
        if (isCurrent) onError(error);
      }
    });
    look.current();
    return () => {
      isCurrent = false;
    };
  }, [backend]);

  useEffect(() => {
    const changes = new EventSource('/ui/changes');
    changes.addEventListener('change', () => {
      setConnected(true);
      setRevision((before) => before + 1);
      look.current();
    });
    changes.addEventListener('error', () => setConnected(false));
    return () => changes.close();
  }, []);

  // Another person's sight is not shown for even a moment.
  const sight = held?.backend === backend ? held.sight : undefined;
  return { sight, revision, isConnected };
}

/** Runs the work now; asked again meanwhile, it runs once more afterwards. */
function oneAtATime(work: () => Promise<void>): () => void {
  let isRunning = false;
  let isWanted = false;
  const run = async () => {
    isRunning = true;
    do {
      isWanted = false;
      await work();
    } while (isWanted);
    isRunning = false;
  };
  return () => {
    if (isRunning) isWanted = true;
    else void run();
  };
}
