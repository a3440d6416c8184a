/**
 * Files that share a process, since starting one and loading the libraries takes longer than most files
 * run. The longest come first, so that none of them starts last.
 */
const UNITS = [
  'test/journeys/browser/',
  'test/journeys/operations/',
  'test/journeys/operations/bad-disk.test.ts',
  'test/desk/decisions/',
  'test/journeys/field-reports/runtime/',
  'test/journeys/threads/',
  'test/journeys/tools/',
  'test/slack/forms/',
  'test/stores/redis/',
  'test/crash/replicas/',
  'test/journeys/approvals/',
  'test/journeys/programs/',
  'test/desk/calls/',
  'test/desk/turns/',
  'test/crash/',
  'test/playground/',
  'test/journeys/field-reports/slack/',
  'test/commands/',
  'test/journeys/main-job/',
  'test/desk/worker/',
  'test/bench/',
  'test/desk/',
  'test/http/',
  'test/agent/graphs/',
  'test/agent/tools/',
  'test/agent/',
  'test/stores/',
  'test/slack/cards/',
  'test/slack/',
  'test/mcp/',
  'test/domain/',
  'test/policy/',
  'test/config/',
  'test/process/',
] as const;

/** Returns which files run in each process, by its name, in start order. A file outside the units has its own process, at the end. */
export function toUnits(files: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const units = new Map<string, string[]>(UNITS.map((unit) => [nameOf(unit), []]));
  for (const file of files) {
    const [unit = file] = UNITS.filter((each) => file.startsWith(each)).sort(byLength);
    const name = nameOf(unit);
    units.set(name, [...(units.get(name) ?? []), file]);
  }
  return new Map([...units].filter(([, own]) => own.length > 0));
}

/** The longest prefix first: it is the most specific. */
const byLength = (one: string, other: string) => other.length - one.length;

/** Names the module built from a file or a folder. */
export function nameOf(path: string): string {
  return path.replace(/\.tsx?$|\/$/, '').replaceAll('/', '-');
}
