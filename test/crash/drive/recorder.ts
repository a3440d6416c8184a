import { closeSync, fsyncSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Deed,
  type EffectEntry,
  type Moment,
  RECORD_FILES,
  type SlackEvent,
  type StoreDump,
} from '../record.ts';

/** Records the events of a run, in order and synchronously on disk. */
export interface Recorder {
  /** Where the workers log errors. */
  readonly logFile: string;
  deed(deed: Deed): void;
  slack(event: SlackEvent): void;
  effect(effect: Omit<EffectEntry, keyof Moment>): void;
  dump(dump: Omit<StoreDump, keyof Moment>): void;
  /** The time of the run: the system time plus its advance. */
  now(): number;
  readonly aheadMs: number;
  advance(ms: number): void;
  close(): void;
}

/** Opens the files of a run; `aheadMs` is how far its time is ahead of the system time. */
export function createRecorder(dir: string): Recorder {
  mkdirSync(dir, { recursive: true });
  const open = (name: keyof typeof RECORD_FILES) => openSync(join(dir, RECORD_FILES[name]), 'a');
  const files = {
    history: open('history'),
    slack: open('slack'),
    effects: open('effects'),
    dumps: open('dumps'),
  };
  let aheadMs = 0;
  let n = 0;
  const now = () => Date.now() + aheadMs;

  function write(name: keyof typeof RECORD_FILES, entry: object): void {
    n += 1;
    writeSync(files[name], `${JSON.stringify({ n, at: now(), ...entry })}\n`);
    if (name === 'effects') fsyncSync(files[name]);
  }

  return {
    logFile: join(dir, 'workers.log'),
    deed: (deed) => write('history', deed),
    slack: (event) => write('slack', event),
    effect: (effect) => write('effects', effect),
    dump: (dump) => write('dumps', dump),
    now,
    get aheadMs() {
      return aheadMs;
    },
    advance(ms) {
      aheadMs += ms;
    },
    close() {
      for (const file of Object.values(files)) closeSync(file);
    },
  };
}
