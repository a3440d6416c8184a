/**
 * Tells whether a text is one that a pattern means; `*` stands for any characters, or none, and all
 * else for itself. A pattern in place of the text: whether all that it means is meant here too.
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
