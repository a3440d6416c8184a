import type { RefObject } from 'preact';
import { useState } from 'preact/hooks';
import { mentionPrefix } from '../text/typed-text.ts';

/** Suggests the app's name while a person types `@…`, and inserts it into the draft. */
export function useMention(props: {
  draft: string;
  name: string;
  field: RefObject<HTMLTextAreaElement | null>;
  onDraft(text: string): void;
}) {
  const { draft, name, field } = props;
  const [caret, setCaret] = useState(0);
  const prefix = mentionPrefix(draft, caret);
  const isSuggested = prefix !== undefined && name.toLowerCase().startsWith(prefix.toLowerCase());

  const insert = () => {
    const at = Math.min(caret, draft.length);
    const head = draft.slice(0, at - (prefix?.length ?? 0)).replace(/@$/, '');
    const gap = head === '' || /\s$/.test(head) ? '' : ' ';
    const inserted = `${head}${gap}@${name} `;
    props.onDraft(inserted + draft.slice(at).trimStart());
    setCaret(inserted.length);
    field.current?.focus();
  };
  /** Handles keys that accept or dismiss the suggestion. Returns whether the key was handled. */
  const onKey = (key: string): boolean => {
    if (!isSuggested) return false;
    if (key === 'Tab' || key === 'Enter') insert();
    else if (key === 'Escape') setCaret(0);
    else return false;
    return true;
  };
  const follow = () => setCaret(field.current?.selectionStart ?? 0);
  const list = isSuggested && (
    <div class="listbox mentions" role="listbox" aria-label="Who to mention">
      <button type="button" role="option" aria-selected onClick={insert}>
        @{name} <small>app</small>
      </button>
    </div>
  );
  return { list, insert, onKey, follow };
}
