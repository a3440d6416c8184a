import { useEffect, useId, useRef } from 'preact/hooks';

/**
 * Shows a modal dialog named by its title: centered on a desktop, a bottom sheet on a phone. The
 * native element makes the rest of the page inert and restores focus on close.
 */
export function Dialog(props: {
  title: string;
  class?: string;
  onCancel(): void;
  children: preact.ComponentChildren;
  footer?: preact.ComponentChildren;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    element?.showModal();
    return () => {
      element?.close();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={`dialog ${props.class ?? ''}`}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        props.onCancel();
      }}
    >
      <header class="dialog-head">
        <h2 id={titleId}>{props.title}</h2>
        <button type="button" class="icon" aria-label="Close dialog" onClick={props.onCancel}>
          <span aria-hidden="true">✕</span>
        </button>
      </header>
      <div class="dialog-body">{props.children}</div>
      {props.footer !== undefined && <footer class="dialog-foot">{props.footer}</footer>}
    </dialog>
  );
}
