import { emojiCharacter } from '../../../src/playground/page/text/emoji.ts';
import type { Inline } from '../../../src/playground/page/text/inline.ts';
import type { MarkdownBlock } from '../../../src/playground/page/text/markdown-block.ts';

/** What a reader sees of formatted text, with mentions as `@ID` and `#ID`. */
export function visibleText(nodes: readonly Inline[]): string {
  return nodes.map(textOf).join('');
}

function textOf(node: Inline): string {
  switch (node.kind) {
    case 'text':
    case 'code':
      return node.text;
    case 'strong':
    case 'emphasis':
    case 'strike':
    case 'link':
      return visibleText(node.children);
    case 'emoji':
      return emojiCharacter(node.name) ?? `:${node.name}:`;
    case 'user':
      return `@${node.label ?? node.id}`;
    case 'channel':
      return `#${node.label ?? node.id}`;
    case 'group':
      return node.label ?? `@${node.id}`;
    case 'broadcast':
      return `@${node.range}`;
    case 'date':
      return node.fallback;
  }
}

/** What a reader sees of Markdown blocks, each block on its own line. */
export function visibleMarkdown(blocks: readonly MarkdownBlock[]): string {
  return blocks.map(blockText).join('\n');
}

function blockText(block: MarkdownBlock): string {
  switch (block.kind) {
    case 'heading':
    case 'paragraph':
      return visibleText(block.children);
    case 'fence':
      return block.text;
    case 'quote':
      return visibleMarkdown(block.blocks);
    case 'list':
      return block.items.map((item) => visibleMarkdown(item.blocks)).join('\n');
    case 'table':
      return [block.header, ...block.rows].map((row) => row.map(visibleText).join(' ')).join('\n');
    case 'rule':
      return '';
  }
}
