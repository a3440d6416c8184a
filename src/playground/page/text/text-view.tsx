import type { TextObject } from '@slack/types';
import { useMemo, useState } from 'preact/hooks';
import { Inlines } from './inline-view.tsx';
import { parseMarkdown } from './markdown.ts';
import type { Align, MarkdownBlock, MarkdownItem } from './markdown-block.ts';
import { type MrkdwnBlock, parseMrkdwn, parsePlainText } from './mrkdwn.ts';

const FOLD_CHARACTERS = 700;

/** Shows a Block Kit text object. */
export function TextView({ text }: { text: TextObject }) {
  if (text.type === 'mrkdwn') return <Mrkdwn text={text.text} />;
  return (
    <span class="plain">
      <Inlines nodes={parsePlainText(text.text)} />
    </span>
  );
}

/** Shows mrkdwn. */
export function Mrkdwn({ text }: { text: string }) {
  const blocks = useMemo(() => parseMrkdwn(text), [text]);
  return (
    <>
      {blocks.map((block, index) => (
        <MrkdwnBlockView key={index} block={block} />
      ))}
    </>
  );
}

function MrkdwnBlockView({ block }: { block: MrkdwnBlock }) {
  const content = <Inlines nodes={block.children} />;
  if (block.kind === 'pre') return <Pre>{content}</Pre>;
  if (block.kind === 'quote') return <blockquote>{content}</blockquote>;
  return <div class="text">{content}</div>;
}

/** Shows preformatted text in a box that scrolls, also by keyboard. */
export function Pre({ children }: { children: preact.ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must take the focus.
    <pre tabIndex={0}>{children}</pre>
  );
}

/** Shows a long text folded behind "See more", as Slack does with sections. */
export function Folded(props: { text: string; children: preact.ComponentChildren }) {
  const [isOpen, setOpen] = useState(false);
  if (props.text.length <= FOLD_CHARACTERS) return <>{props.children}</>;
  return (
    <>
      <div class={isOpen ? undefined : 'folded'}>{props.children}</div>
      <button type="button" class="link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? 'See less' : 'See more'}
      </button>
    </>
  );
}

/** Shows Markdown as Slack's markdown block does. */
export function Markdown({ text }: { text: string }) {
  const blocks = useMemo(() => parseMarkdown(text), [text]);
  return (
    <div class="markdown">
      <MarkdownBlocks blocks={blocks} />
    </div>
  );
}

function MarkdownBlocks({ blocks }: { blocks: readonly MarkdownBlock[] }) {
  return (
    <>
      {blocks.map((block, index) => (
        <MarkdownBlockView key={index} block={block} />
      ))}
    </>
  );
}

function MarkdownBlockView({ block }: { block: MarkdownBlock }) {
  switch (block.kind) {
    case 'heading':
      return (
        <MarkdownHeading level={block.level}>
          <Inlines nodes={block.children} />
        </MarkdownHeading>
      );
    case 'paragraph':
      return (
        <p class="text">
          <Inlines nodes={block.children} />
        </p>
      );
    case 'fence':
      return <Pre>{block.text}</Pre>;
    case 'quote':
      return (
        <blockquote>
          <MarkdownBlocks blocks={block.blocks} />
        </blockquote>
      );
    case 'list':
      return block.ordered ? (
        <ol start={block.start}>
          <Items items={block.items} />
        </ol>
      ) : (
        <ul>
          <Items items={block.items} />
        </ul>
      );
    case 'table':
      return <MarkdownTable block={block} />;
    case 'rule':
      return <hr />;
  }
}

// Starts at the third level, below the page's own headings.
function MarkdownHeading(props: { level: number; children: preact.ComponentChildren }) {
  const Tag = ({ 1: 'h3', 2: 'h4', 3: 'h5' } as const)[props.level] ?? 'h6';
  return <Tag>{props.children}</Tag>;
}

function Items({ items }: { items: readonly MarkdownItem[] }) {
  return (
    <>
      {items.map((item, index) => (
        <li key={index} class={item.checked === undefined ? undefined : 'task'}>
          {item.checked !== undefined && (
            <span role="img" aria-label={item.checked ? 'done' : 'not done'}>
              {item.checked ? '☑ ' : '☐ '}
            </span>
          )}
          <MarkdownBlocks blocks={item.blocks} />
        </li>
      ))}
    </>
  );
}

function MarkdownTable({ block }: { block: Extract<MarkdownBlock, { kind: 'table' }> }) {
  const cellClass = (column: number): Align => block.align[column] ?? 'left';
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            {block.header.map((cell, column) => (
              <th key={column} class={cellClass(column)}>
                <Inlines nodes={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {block.rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, column) => (
                <td key={column} class={cellClass(column)}>
                  <Inlines nodes={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
