import type { Inline } from './inline.ts';

/** An item of a Markdown list. `checked` is set for task list items. */
export interface MarkdownItem {
  readonly checked?: boolean;
  readonly blocks: readonly MarkdownBlock[];
}

/** The alignment of a table column. */
export type Align = 'left' | 'center' | 'right';

/** A block of Markdown. */
export type MarkdownBlock =
  | { readonly kind: 'heading'; readonly level: number; readonly children: readonly Inline[] }
  | { readonly kind: 'paragraph'; readonly children: readonly Inline[] }
  | { readonly kind: 'fence'; readonly text: string }
  | { readonly kind: 'quote'; readonly blocks: readonly MarkdownBlock[] }
  | {
      readonly kind: 'list';
      readonly ordered: boolean;
      readonly start: number;
      readonly items: readonly MarkdownItem[];
    }
  | {
      readonly kind: 'table';
      readonly align: readonly Align[];
      readonly header: readonly (readonly Inline[])[];
      readonly rows: readonly (readonly (readonly Inline[])[])[];
    }
  | { readonly kind: 'rule' };
