import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { followableUrl } from '../../../src/playground/page/text/inline-view.tsx';

const folder = fileURLToPath(new URL('../../../src/playground/page/', import.meta.url));

test('nothing in the page writes HTML or runs text', async () => {
  const files = (await readdir(folder, { recursive: true })).filter((name) => /\.tsx?$/.test(name));
  assert.ok(files.length > 30);
  for (const name of files) {
    const source = await readFile(folder + name, 'utf8');
    assert.doesNotMatch(
      source,
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/i,
      name,
    );
  }
});

for (const url of [
  'javascript:alert(1)',
  ' javascript:alert(1)',
  'JavaScript:alert(1)',
  'javascript:alert("https://a.example")',
  'data:text/html,x',
  'vbscript:x',
  'file:///etc/passwd',
  '//evil.example',
  '/ui/sight',
]) {
  test(`"${url}" is shown and not linked`, () => {
    assert.equal(followableUrl(url), undefined);
  });
}

test('web and mail addresses are linked', () => {
  for (const url of ['https://a.example', 'HTTP://a.example', 'mailto:a@b.example']) {
    assert.equal(followableUrl(url), url);
  }
});
