import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import type { JsonValue } from '../../../src/domain/json/json.ts';

/** A separate process that remembers what it was sent. */
export interface RecordingProcess {
  /** Sends one value; resolves when it is stored. */
  send(id: string, value: JsonValue): Promise<void>;
  /** Ends it and returns the canonical JSON of each received value, by id. */
  end(): Promise<ReadonlyMap<string, readonly string[]>>;
}

/** It parses what arrives itself, and shares only the pipe with the app. */
const PROGRAM = `
  import { createInterface } from 'node:readline';
  import canonicalize from 'canonicalize';
  const seen = [];
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, value } = JSON.parse(line);
    seen.push([id, canonicalize(value)]);
    process.stdout.write('ok\\n');
  }
  process.stdout.write(JSON.stringify(seen) + '\\n');
`;

/** Starts the process, which ends with the test at the latest. */
export function startRecordingProcess(t: TestContext): RecordingProcess {
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  const waiting: ((line: string) => void)[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => waiting.shift()?.(line));
  const nextLine = () => new Promise<string>((resolve) => waiting.push(resolve));
  return {
    async send(id, value) {
      const answered = nextLine();
      child.stdin.write(`${JSON.stringify({ id, value })}\n`);
      await answered;
    },
    async end() {
      const answered = nextLine();
      const closed = new Promise((resolve) => child.once('close', resolve));
      child.stdin.end();
      const seen = JSON.parse(await answered) as readonly (readonly [string, string])[];
      await closed;
      const byId = new Map<string, string[]>();
      for (const [id, text] of seen) byId.set(id, [...(byId.get(id) ?? []), text]);
      return byId;
    },
  };
}
