/**
 * Describes a command by its first line. The number of lines comes first, where it is never cut
 * off.
 */
export function describeCommand(command: string): string {
  const lines = command.split(/[\n\r]/).filter((line) => line.trim() !== '');
  const [first = ''] = lines;
  return lines.length > 1 ? `Run ${lines.length} lines: ${first}` : `Run: ${first}`;
}

/** Shortens an address: omits `https` and an empty path. */
export function describeAddress({ host, pathname, protocol, search }: URL): string {
  const scheme = protocol === 'https:' ? '' : `${protocol}//`;
  return `${scheme}${host}${pathname === '/' ? '' : pathname}${search}`;
}
