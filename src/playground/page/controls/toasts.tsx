import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { WorkspaceView } from '../../workspace/workspace-port.ts';

const SHOWN_MS = 7_000;

interface Toast {
  readonly id: number;
  readonly text: string;
}

/** Keeps notices for seven seconds: the page's own, and those that Slack shows this person. */
export function useToasts() {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  const lastId = useRef(0);
  const dismiss = useCallback(
    (id: number) => setToasts((before) => before.filter((toast) => toast.id !== id)),
    [],
  );
  const notify = useCallback(
    (text: string) => {
      lastId.current += 1;
      const id = lastId.current;
      setToasts((before) => [...before.filter((toast) => toast.text !== text), { id, text }]);
      window.setTimeout(() => dismiss(id), SHOWN_MS);
    },
    [dismiss],
  );
  return { toasts, notify, dismiss };
}

/**
 * Shows each new toast of the person once. Toasts from before the page was opened are not shown.
 */
export function useWorkspaceToasts(
  workspace: WorkspaceView | undefined,
  notify: (text: string) => void,
): void {
  const counts = useRef(new Map<string, number>());
  useEffect(() => {
    if (workspace === undefined) return;
    const known = counts.current.get(workspace.me.id);
    counts.current.set(workspace.me.id, workspace.toasts.length);
    if (known === undefined) return;
    for (const toast of workspace.toasts.slice(known)) notify(toast.text);
  }, [workspace, notify]);
}

/**
 * Shows the notices above everything else. A dialog opened later covers them until the next change.
 */
export function Toasts(props: { toasts: readonly Toast[]; onDismiss(id: number): void }) {
  const box = useRef<HTMLDivElement>(null);
  // Shown again at each change, so that it is above dialogs opened meanwhile.
  useEffect(() => {
    box.current?.hidePopover();
    if (props.toasts.length > 0) box.current?.showPopover();
  }, [props.toasts]);
  return (
    <div class="toasts" role="status" aria-label="Notices" popover="manual" ref={box}>
      {props.toasts.map((toast) => (
        <div key={toast.id} class="toast">
          <span>{toast.text}</span>
          <button
            type="button"
            class="icon"
            aria-label="Dismiss"
            onClick={() => props.onDismiss(toast.id)}
          >
            <span aria-hidden="true">✕</span>
          </button>
        </div>
      ))}
    </div>
  );
}
