import { useEffect, useId, useRef, useState } from 'preact/hooks';

export interface MenuItem {
  readonly text: string;
  readonly isDanger?: boolean;
  onChoose(): void;
}

/** Shows a button that opens a menu: next to it on a desktop, as a sheet on a phone. */
export function Menu(props: {
  label: string;
  items: readonly MenuItem[];
  buttonClass: string;
  actionId?: string | undefined;
  blockId?: string | undefined;
}) {
  const [isOpen, setOpen] = useState(false);
  const box = useRef<HTMLSpanElement>(null);
  const id = useId();
  useEffect(() => {
    if (!isOpen) return;
    box.current?.querySelector<HTMLElement>('[role=menuitem]')?.focus();
    const onPointer = (event: Event) => {
      if (!box.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', onPointer);
    return () => document.removeEventListener('pointerdown', onPointer);
  }, [isOpen]);
  const close = () => {
    setOpen(false);
    box.current?.querySelector<HTMLElement>('button')?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isOpen && handleMenuKey(event, box.current, close)) event.preventDefault();
  };
  return (
    <span class="menu-box" ref={box}>
      <button
        type="button"
        class={props.buttonClass}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        aria-label={props.label}
        data-action-id={props.actionId}
        data-block-id={props.blockId}
        onKeyDown={onKeyDown}
        onClick={() => setOpen(!isOpen)}
      >
        <span aria-hidden="true">⋯</span>
      </button>
      {isOpen && (
        <MenuList
          id={id}
          label={props.label}
          items={props.items}
          onKeyDown={onKeyDown}
          onClose={close}
        />
      )}
    </span>
  );
}

function MenuList(props: {
  id: string;
  label: string;
  items: readonly MenuItem[];
  onKeyDown(event: KeyboardEvent): void;
  onClose(): void;
}) {
  return (
    <div
      class="menu"
      role="menu"
      id={props.id}
      aria-label={props.label}
      ref={keepInView}
      tabIndex={-1}
      onKeyDown={props.onKeyDown}
    >
      {props.items.map((item) => (
        <button
          key={item.text}
          type="button"
          role="menuitem"
          class={item.isDanger ? 'danger' : undefined}
          onClick={() => {
            props.onClose();
            item.onChoose();
          }}
        >
          {item.text}
        </button>
      ))}
    </div>
  );
}

function handleMenuKey(event: KeyboardEvent, box: HTMLElement | null, close: () => void): boolean {
  if (event.key === 'Escape') {
    // Keep the dialog that contains the menu open.
    event.stopPropagation();
    close();
    return true;
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined || box === null) return false;
  const items = [...box.querySelectorAll<HTMLElement>('[role=menuitem]')];
  const at = items.indexOf(document.activeElement as HTMLElement);
  items[(at + step + items.length) % items.length]?.focus();
  return true;
}

function keepInView(menu: HTMLElement | null): void {
  if (menu === null) return;
  const menuBox = menu.getBoundingClientRect();
  const container = menu.closest('.messages, .home, .dialog-body')?.getBoundingClientRect();
  menu.classList.toggle('from-right', menuBox.right > (container?.right ?? window.innerWidth) - 8);
  menu.classList.toggle('upwards', menuBox.bottom > (container?.bottom ?? window.innerHeight) - 8);
}
