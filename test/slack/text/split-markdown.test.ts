import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { splitMarkdown } from '../../../src/slack/text/split-markdown.ts';

describe('split Markdown', () => {
  it('has parts within the limit, with every word once, in order', () => {
    const piece = fc.oneof(
      fc.constantFrom('\n\n', '\n', '```ts\n', '```\n', ' '),
      fc.string({ maxLength: 30 }),
    );
    const texts = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(texts, fc.integer({ min: 250, max: 600 }), (text, max) => {
        const parts = splitMarkdown(text, max);
        assert.ok(parts.every((part) => part.length <= max));
        const words = (each: string) => each.replace(/[\s`]|ts/g, '');
        assert.equal(words(parts.join('')), words(text));
      }),
      { numRuns: 500 },
    );
  });

  it('closes a code fence at a cut, and opens it again', () => {
    const code = `\`\`\`ts\n${'let a = 1;\n'.repeat(60)}\`\`\`\nafter`;
    const parts = splitMarkdown(code, 400);
    assert.ok(parts.length > 1);
    for (const part of parts) assert.equal((part.match(/^```/gm) ?? []).length % 2, 0, part);
    assert.ok(parts[1]?.startsWith('```ts\n'));
  });

  it('keeps a code block whole if a paragraph precedes it', () => {
    const code = `\`\`\`ts\n${'let a = 1;\n\n'.repeat(15)}\`\`\``;
    const parts = splitMarkdown(`${'word '.repeat(50)}\n\n${code}\n\n${'word '.repeat(50)}`, 420);
    assert.ok(
      parts.some((part) => part.includes(code)),
      JSON.stringify(parts),
    );
  });

  it('repeats the header row in each part of a table', () => {
    const head = '| File | Size |\n|:---|---:|\n';
    const rows = Array.from({ length: 60 }, (_, i) => `| file-${i} | ${i} |`);
    const parts = splitMarkdown(`Before.\n\n${head}${rows.join('\n')}\n\nAfter.`, 400);
    assert.ok(parts.length > 2);
    for (const part of parts.slice(1)) assert.ok(part.startsWith(head), part);
    const said = parts.flatMap((part) => part.split('\n').filter((line) => /file-/.test(line)));
    assert.deepEqual(said, rows);
  });

  it('cuts a list between items, not within one', () => {
    const item = (i: number) => `- item ${i}\n  - below it\n    and its second line`;
    const parts = splitMarkdown(Array.from({ length: 30 }, (_, i) => item(i)).join('\n'), 400);
    assert.ok(parts.length > 2);
    for (const part of parts) assert.match(part, /^- item \d+\n/);
  });

  it('splits a code block with a megabyte of blank lines fast', () => {
    for (const filler of ['\n', 'a\n\n', '~~~\n\n']) {
      const text = `\`\`\`\n${filler.repeat(1_000_000 / filler.length)}`;
      const startedAt = performance.now();
      splitMarkdown(text, 11_000);
      const tookMs = performance.now() - startedAt;
      assert.ok(tookMs < 3_000, `${JSON.stringify(filler)} took ${tookMs} ms`);
    }
  });
});
