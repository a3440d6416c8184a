import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Confinement } from '../../../../src/agent/tools/command/confinement.ts';
import { createRunCommand } from '../../../../src/agent/tools/command/run-command.ts';
import type { Tool } from '../../../../src/domain/tools/tool.ts';
import { createSystemClock } from '../../../../src/process/system-clock.ts';
import { REQUESTER } from '../../../support/builders/a-call.ts';
import { hasSandbox } from '../../../support/system-needs.ts';
import { NO_SIGNAL, THREAD } from '../../agent-fixture.ts';

export const skip = hasSandbox() ? false : 'bwrap does not work here';
export const clock = createSystemClock();
/** Marks everything that a command must not see. */
export const MARK = 'the-secret-of-this-test';
export const SANDBOXED: Confinement = { kind: 'sandboxed', hasNetwork: false };
export const UNSANDBOXED: Confinement = { kind: 'unsandboxed', reason: 'there is none' };

/** A folder with a workspace, the app's records and its settings side by side. */
export function createPlace(t: TestContext, settings = 'settings.env') {
  // Not in /tmp, because the sandbox has its own.
  const folder = mkdtempSync('/var/tmp/countersign-');
  t.after(() => rmSync(folder, { recursive: true }));
  const at = (...names: string[]) => join(folder, ...names);
  mkdirSync(at('workspace'));
  mkdirSync(at('data'));
  writeFileSync(at('data', 'records.db'), MARK);
  writeFileSync(at(settings), MARK);
  const hidden = [at('data'), at(settings)];
  return { at, place: { workspaceDir: at('workspace'), hidden } };
}

type Place = ReturnType<typeof createPlace>['place'];

export function toolFor(place: Place, confinement: Confinement): Tool {
  const made = createRunCommand({ place, confinement, clock });
  assert(made.kind === 'tool', JSON.stringify(made));
  return made.tool;
}

export async function run(
  tool: Tool,
  command: string,
  { seconds = 20, signal = NO_SIGNAL }: { seconds?: number; signal?: AbortSignal } = {},
): Promise<string> {
  const parsed = tool.parse({ command, timeoutSeconds: seconds });
  assert(parsed.ok);
  return await tool.run(parsed.value, {
    signal,
    callId: 'call_k',
    idempotencyKey: 'k',
    report: () => {},
    requester: REQUESTER,
    thread: THREAD,
  });
}

/** Processes of this machine whose command line contains the text. */
export function processesWith(text: string): readonly string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text);
    } catch {
      // It has ended meanwhile.
      return false;
    }
  });
}

/** A number of seconds that no other process sleeps for, to find our process. */
let marks = 0;
export const aMark = () => {
  marks += 1;
  return `${process.pid}${marks}.25`;
};
