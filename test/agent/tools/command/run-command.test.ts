import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { chooseConfinement } from '../../../../src/agent/tools/command/confinement.ts';
import { createRunCommand } from '../../../../src/agent/tools/command/run-command.ts';
import { REQUESTER } from '../../../support/builders/a-call.ts';
import { askAll, buildDesk } from '../../../support/desk/build-desk.ts';
import { sayCalls, sayText } from '../../../support/servers/mock-model.ts';
import { until } from '../../../support/until.ts';
import {
  aMark,
  clock,
  createPlace,
  MARK,
  processesWith,
  run,
  SANDBOXED,
  skip,
  toolFor,
  UNSANDBOXED,
} from './command-fixture.ts';

describe('offering commands', () => {
  const options = { hasNetwork: false, allowUnsandboxed: false, clock };

  test('a working sandbox is used, even if none is required', { skip }, async (t) => {
    const { place } = createPlace(t);
    assert.deepEqual(
      await chooseConfinement(place, { ...options, allowUnsandboxed: true }),
      SANDBOXED,
    );
    const online = { kind: 'sandboxed', hasNetwork: true };
    assert.deepEqual(await chooseConfinement(place, { ...options, hasNetwork: true }), online);
  });

  test('without bwrap, commands are left out with the remedy', async (t) => {
    const { place } = createPlace(t);
    const none = await chooseConfinement(place, { ...options, bwrap: 'no-such-bwrap' });
    assert.equal(none.kind, 'none');
    const made = createRunCommand({ place, confinement: none, clock });
    assert(made.kind === 'left-out');
    assert.match(
      made.reason,
      /bwrap, is not installed\. Install it \(Debian package bubblewrap[\s\S]*ALLOW_UNSANDBOXED_COMMANDS=1/,
    );
  });

  test('a failure of bwrap is reported in its own words', async (t) => {
    const { at, place } = createPlace(t);
    writeFileSync(
      at('bwrap'),
      '#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2\nexit 1\n',
      { mode: 0o755 },
    );
    const none = await chooseConfinement(place, { ...options, bwrap: at('bwrap') });
    assert(none.kind === 'none');
    assert.match(
      none.reason,
      /does not work here \(bwrap: No permissions to create new namespace\)/,
    );
    const allowed = { ...options, allowUnsandboxed: true, bwrap: at('bwrap') };
    assert.equal((await chooseConfinement(place, allowed)).kind, 'unsandboxed');
  });
});

describe('without a sandbox', () => {
  test('the card says so, and the environment is clean as well', async (t) => {
    const { at, place } = createPlace(t);
    process.env.SECRET_OF_THE_TEST = MARK;
    t.after(() => delete process.env.SECRET_OF_THE_TEST);
    const tool = toolFor(place, UNSANDBOXED);
    assert.match(
      (await tool.preview?.({ command: 'ls', timeoutSeconds: 1, sandbox: 'off' }))?.text ?? '',
      /^UNSANDBOXED: it can read, change and send everything that the app can\.\nIn .*\n\$ ls$/,
    );
    const said = await run(tool, 'env; pwd; exit 4');
    assert.match(said, /^\[exit code 4,/);
    assert.doesNotMatch(said, new RegExp(MARK));
    assert(said.endsWith(at('workspace')));
    assert.match(await run(tool, 'kill -9 $$'), /^\[ended by SIGKILL after /);
  });

  test('the process group is ended at the timeout, at a stop and when the command ends', async (t) => {
    const { at, place } = createPlace(t);
    const tool = toolFor(place, UNSANDBOXED);
    const mark = aMark();
    const stubborn = `trap '' TERM; sleep ${mark} & touch ready; sleep ${mark}`;
    await assert.rejects(run(tool, stubborn, { seconds: 1 }), /did not end within 1 s/);
    await until(() => processesWith(mark).length === 0);
    const stop = new AbortController();
    const running = run(tool, `rm ready; ${stubborn}`, { signal: stop.signal });
    await until(() => processesWith(`sleep\0${mark}`).length === 2);
    stop.abort(new Error('stopped'));
    await assert.rejects(running, /stopped/);
    await until(() => processesWith(mark).length === 0);
    assert.match(await run(tool, `sleep ${mark} & echo done`), /\ndone$/);
    await until(() => processesWith(mark).length === 0);
    assert(existsSync(at('workspace', 'ready')));
  });

  test('a process that left the group does not delay the result', async (t) => {
    const { place } = createPlace(t);
    const said = await run(toolFor(place, UNSANDBOXED), 'setsid sleep 3 & sleep 0.1; echo done');
    assert.match(said, /^\[exit code 0, [01]\.\d s\]\ndone$/);
  });

  test('a NUL character and a too long command are refused before anybody is asked', async (t) => {
    const { place } = createPlace(t);
    const tool = toolFor(place, UNSANDBOXED);
    assert.equal(tool.parse({ command: 'a\0b' }).ok, false);
    assert.equal(tool.parse({ command: 'é'.repeat(30_001) }).ok, false);
    assert.match(await run(tool, `: ${'€'.repeat(29_000)}; echo long`), /\nlong$/);
  });

  test('a missing workspace is an error', async (t) => {
    const { place } = createPlace(t);
    const tool = toolFor({ ...place, workspaceDir: join(place.workspaceDir, 'gone') }, UNSANDBOXED);
    await assert.rejects(run(tool, 'true'), /ENOENT/);
  });
});

describe('the card of a command', () => {
  test('an approval applies only to the sandbox on the card', async (t) => {
    const { at, place } = createPlace(t);
    const tool = toolFor(place, SANDBOXED);
    const parsed = tool.parse({ command: 'make it' });
    assert(parsed.ok);
    assert.equal(
      (await tool.preview?.(parsed.value))?.text,
      `Sandboxed, without network: it can write only to the workspace.\nIn ${at('workspace')}\n$ make it`,
    );
    assert.equal(tool.risk, 'high');
    assert.equal(tool.idempotent, false);
    const later = [UNSANDBOXED, { kind: 'sandboxed', hasNetwork: true } as const];
    for (const confinement of later) {
      assert.equal(toolFor(place, confinement).parse(parsed.value).ok, false);
    }
  });

  test('a card shows the command and its sandbox; approved, its result reaches the model', {
    skip,
  }, async (t) => {
    const { at, place } = createPlace(t);
    const desk = await buildDesk(t, {
      gate: askAll(),
      tools: [],
      made: [toolFor(place, SANDBOXED)],
    });
    desk.model.script((_request, index) =>
      index === 0
        ? sayCalls([{ name: 'run_command', args: '{"command":"echo $((6*7)) | tee sum.txt"}' }])
        : sayText('Done.'),
    );
    await desk.send('count');
    const [call] = await desk.calls();
    assert(call);
    assert.match(
      call.preview ?? '',
      /^Sandboxed, without network[\s\S]*\n\$ echo \$\(\(6\*7\)\) \| tee sum\.txt$/,
    );
    assert.equal(existsSync(at('workspace', 'sum.txt')), false);
    await desk.decide(call, REQUESTER);
    await until(async () => (await desk.calls())[0]?.status === 'succeeded');
    await until(() => desk.model.requests.length === 2);
    assert.match(JSON.stringify(desk.model.requests.at(-1)), /exit code 0[^"]*\\n42/);
  });
});
