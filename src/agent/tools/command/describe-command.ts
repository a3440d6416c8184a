/** Names a command by its first line; that there are more is said before it, where nothing is cut off. */
export function describeCommand(command: string): string {
  const lines = command.split(/[\n\r]/).filter((line) => line.trim() !== '');
  const [first = ''] = lines;
  return lines.length > 1 ? `Run ${lines.length} lines: ${first}` : `Run: ${first}`;
}

/** Writes an address without what goes without saying. */
export function describeAddress({ host, pathname, protocol, search }: URL): string {
  const scheme = protocol === 'https:' ? '' : `${protocol}//`;
  return `${scheme}${host}${pathname === '/' ? '' : pathname}${search}`;
}
