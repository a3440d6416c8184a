/**
 * Returns whether a pattern matches a text. `*` matches any characters, or none. If `text` is a
 * pattern too: whether `glob` matches everything that it matches.
 */
export function matchesGlob(glob: string, text: string): boolean {
  const [head = '', ...middle] = glob.split('*');
  const tail = middle.pop();
  if (tail === undefined) return glob === text;
  const end = text.length - tail.length;
  if (end < head.length || !text.startsWith(head) || !text.endsWith(tail)) return false;
  let from = head.length;
  for (const part of middle) {
    const at = text.indexOf(part, from);
    if (at === -1 || at + part.length > end) return false;
    from = at + part.length;
  }
  return true;
}
