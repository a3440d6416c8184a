import { readdirSync, readFileSync } from 'node:fs';

/** Returns the memory in bytes of the one child process whose command contains `part`. */
export function memoryOfDescendant(part: string): number {
  const found = descendantsOf(process.pid).filter((pid) => commandOf(pid).includes(part));
  const [pid] = found;
  if (pid === undefined || found.length > 1) {
    throw new Error(`${found.length} processes below this one name ${part}.`);
  }
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) * 1024;
}

function descendantsOf(pid: number): readonly number[] {
  const tasks = readdirSync(`/proc/${pid}/task`);
  const children = tasks.flatMap((task) => {
    const text = readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim();
    return text === '' ? [] : text.split(' ').map(Number);
  });
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

function commandOf(pid: number): string {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
}
