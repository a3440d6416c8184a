/** Converts blocks to Markdown. Blocks hold lists, code, quotes and tables that a message’s `text` lacks. */
import { listAt, objectAt, type Payload, textAt } from '../transport/payload.ts';

/** Converts a message’s blocks to Markdown; empty if they contain no text. https://docs.slack.dev/reference/block-kit/blocks */
export function blocksToMarkdown(blocks: readonly Payload[]): string {
  return blocks
    .map(writeBlock)
    .filter((text) => text.trim() !== '')
    .join('\n\n');
}

/** Returns whether a message’s blocks hold more than its plain text. */
export function isRicherThanText(blocks: readonly Payload[]): boolean {
  return blocks.some(
    (block) =>
      block.type !== 'rich_text' ||
      listAt(block, 'elements').some(({ type }) => type !== 'rich_text_section'),
  );
}

function writeBlock(block: Payload): string {
  switch (block.type) {
    case 'rich_text':
      return listAt(block, 'elements').map(writePart).join('\n').trim();
    case 'table':
    case 'data_table':
      return writeTable(block);
    case 'header':
      return `## ${textAt(objectAt(block, 'text'), 'text') ?? ''}`;
    case 'markdown':
      return textAt(block, 'text') ?? '';
    case 'section':
      return writeSection(block);
    default:
      return '';
  }
}

function writeSection(block: Payload): string {
  const texts = [objectAt(block, 'text'), ...listAt(block, 'fields')];
  return texts
    .map((each) => textAt(each, 'text') ?? '')
    .filter((text) => text !== '')
    .join('\n');
}

function writePart(part: Payload): string {
  const inside = () => writeInline(part);
  switch (part.type) {
    case 'rich_text_list':
      return writeList(part);
    case 'rich_text_preformatted':
      return `\`\`\`\n${inside()}\n\`\`\``;
    case 'rich_text_quote':
      return quote(inside());
    default:
      return inside();
  }
}

function writeList(list: Payload): string {
  const indent = '    '.repeat(Math.min(8, numberAt(list, 'indent')));
  const first = numberAt(list, 'offset') + 1;
  return listAt(list, 'elements')
    .map((item, i) => {
      const mark = list.style === 'ordered' ? `${first + i}.` : '-';
      return `${indent}${mark} ${writeInline(item)}`;
    })
    .join('\n');
}

function writeInline(part: Payload): string {
  return listAt(part, 'elements').map(writeElement).join('');
}

function writeElement(element: Payload): string {
  const text = textAt(element, 'text') ?? '';
  switch (element.type) {
    case 'text':
      return writeText(text, objectAt(element, 'style'));
    case 'link':
      return writeLink(textAt(element, 'url') ?? '', text);
    case 'user':
      return `<@${textAt(element, 'user_id') ?? ''}>`;
    case 'channel':
      return `<#${textAt(element, 'channel_id') ?? ''}>`;
    case 'usergroup':
      return `<!subteam^${textAt(element, 'usergroup_id') ?? ''}>`;
    case 'broadcast':
      return `@${textAt(element, 'range') ?? ''}`;
    case 'emoji':
      return `:${textAt(element, 'name') ?? ''}:`;
    case 'date':
      return textAt(element, 'fallback') ?? '';
    default:
      return text;
  }
}

function writeText(text: string, style: Payload): string {
  if (text.trim() === '') return text;
  const code = style.code === true ? '`' : '';
  const bold = style.bold === true ? '**' : '';
  const italic = style.italic === true ? '_' : '';
  const strike = style.strike === true ? '~~' : '';
  return `${strike}${bold}${italic}${code}${text}${code}${italic}${bold}${strike}`;
}

function writeLink(url: string, label: string): string {
  return label === '' || label === url ? url : `${label} (${url})`;
}

function writeTable(table: Payload): string {
  const { rows } = table;
  if (!Array.isArray(rows)) return '';
  const lines = rows
    .filter((row): row is unknown[] => Array.isArray(row))
    .map((row) => `| ${row.map(writeCell).join(' | ')} |`);
  const [head = '', ...body] = lines;
  const columns = Array.isArray(rows[0]) ? rows[0].length : 0;
  return [head, `|${' --- |'.repeat(columns)}`, ...body].join('\n');
}

function writeCell(cell: unknown): string {
  const payload = objectAt({ cell }, 'cell');
  const text =
    payload.type === 'rich_text'
      ? listAt(payload, 'elements').map(writePart).join(' ')
      : (textAt(payload, 'text') ?? String(payload.value ?? ''));
  return text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ');
}

/** Formats a text as a Markdown quote. */
export function quote(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
}

function numberAt(payload: Payload, key: string): number {
  const value = payload[key];
  return typeof value === 'number' && value > 0 ? Math.floor(value) : 0;
}
