/** The client alone: what it does when the desk, the line or people say no. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import {
  type Approval,
  CancelledError,
  createCountersign,
  DeclinedError,
  ExpiredError,
  OutcomeUnknownError,
  PendingError,
  ProblemError,
  RefusedError,
  type Taken,
  TakenError,
  UnreachableError,
} from '../../src/client/countersign-client.ts';
import { type SmallDesk, startSmallDesk } from '../support/app/small-desk.ts';
import { importsOf } from '../support/source-tree.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { until } from '../support/until.ts';

const SOURCE = fileURLToPath(new URL('../../src/client/countersign-client.ts', import.meta.url));
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PATHS = { path: '/tmp/a' };

async function begin(t: TestContext, patience = 20) {
  const desk = await startSmallDesk(t);
  const countersign = createCountersign({ url: `${desk.url}/`, key: desk.key, patience });
  const ran: object[] = [];
  const remove = countersign.withApproval(
    async (args: { path: string }) => {
      ran.push(args);
      return `removed ${args.path}`;
    },
    { action: 'rm', describe: (result) => result },
  );
  return { desk, countersign, remove, ran };
}

const approve = (desk: SmallDesk, change: Partial<Approval> = {}) =>
  desk.decide({ status: 'approved', ...change });

describe('withApproval', () => {
  it('runs what was approved, edits included, takes it before and tells what came of it', async (t) => {
    const { desk, remove, ran } = await begin(t);
    const running = remove(PATHS);
    await approve(desk, { arguments: { path: '/tmp/b' }, edited: true });
    assert.equal(await running, 'removed /tmp/b');
    assert.deepEqual(ran, [{ path: '/tmp/b' }]);
    assert.deepEqual(desk.asked, ['POST /', 'GET /', 'POST /consume', 'POST /report']);
    const [approval] = desk.approvals();
    assert.equal(approval?.status, 'succeeded');
    assert.equal(approval?.reason, 'removed /tmp/b');
    assert.deepEqual(desk.bodies[0], { action: 'rm', args: PATHS });
  });

  it('tells of a function that throws, and throws what it threw', async (t) => {
    const { desk, countersign } = await begin(t);
    const error = new Error('No such file.');
    const fail = countersign.withApproval(() => Promise.reject(error), { action: 'rm' });
    const running = fail(PATHS);
    await approve(desk);
    await assert.rejects(running, (thrown) => thrown === error);
    assert.deepEqual(desk.bodies.at(-1), { outcome: { status: 'failed', text: 'No such file.' } });
    assert.equal(desk.approvals()[0]?.status, 'failed');
  });

  const REFUSALS: readonly (readonly [
    Partial<Approval>,
    new (...args: never[]) => Error,
    RegExp,
  ])[] = [
    [{ status: 'ignored', reason: 'Not today.' }, DeclinedError, /U1 said no\. Not today\./],
    [{ status: 'replied', reply: 'Use trash.' }, DeclinedError, /U1 answered: Use trash\./],
    [{ status: 'expired' }, ExpiredError, /Nobody decided/],
    [{ status: 'withdrawn' }, CancelledError, /request was cancelled/],
    [{ status: 'refused', reason: 'Never in /etc.' }, RefusedError, /Never in \/etc\./],
    [{ status: 'running' }, TakenError, /already consumed/],
    [{ status: 'unknown' }, OutcomeUnknownError, /whether it ran is unknown/],
  ];
  for (const [change, kind, message] of REFUSALS) {
    it(`runs nothing when the approval is ${change.status}`, async (t) => {
      const { desk, remove, ran } = await begin(t);
      const running = remove(PATHS);
      await desk.decide(change);
      await assert.rejects(running, (error: Error) => {
        assert(error instanceof kind, String(error));
        assert.equal(error.name, kind.name);
        assert.match(error.message, message);
        return true;
      });
      assert.deepEqual(ran, []);
    });
  }

  it('hands on who declined, and what they wrote', async (t) => {
    const { desk, remove } = await begin(t);
    const running = remove(PATHS);
    await desk.decide({ status: 'replied', reply: 'Use trash.' });
    await assert.rejects(running, (error) => {
      assert(error instanceof DeclinedError);
      assert.deepEqual([error.reply, error.decidedBy], ['Use trash.', 'U1']);
      return true;
    });
  });

  it('runs nothing that it could not take: what was edited meanwhile is waited for again', async (t) => {
    const { desk, remove, ran } = await begin(t);
    desk.fail('/consume', { status: 503 });
    const running = remove(PATHS);
    await approve(desk);
    await until(() => desk.asked.includes('POST /consume'), 5);
    // Between the 503 and the next try people take their approval back and give another one.
    desk.alter({ status: 'pending', arguments: { path: '/tmp/c' } });
    await until(() => desk.asked.filter((each) => each === 'GET /').length === 3, 5);
    await approve(desk, { arguments: { path: '/tmp/d' } });
    assert.equal(await running, 'removed /tmp/d');
    assert.deepEqual(ran, [{ path: '/tmp/d' }]);
  });

  it('takes back what nobody decided in time, or what its caller wants no more', async (t) => {
    const { desk, countersign } = await begin(t);
    const run = () => assert.fail('It ran.');
    const hasty = countersign.withApproval(run, { action: 'rm', wait: 0.2 });
    await assert.rejects(hasty(PATHS), {
      name: 'ExpiredError',
      message: /so the request was cancelled/,
    });
    desk.fail('/consume', { status: 409 }, { status: 409 });
    const held = hasty(PATHS);
    await approve(desk);
    await assert.rejects(held, ProblemError);
    const ending = new AbortController();
    const { signal } = ending;
    const onWaiting = () => ending.abort(new Error('Enough.'));
    const aborted = countersign.withApproval(run, { action: 'rm', signal, onWaiting });
    await assert.rejects(aborted(PATHS), /Enough\./);
    assert.deepEqual(
      desk.approvals().map(({ status }) => status),
      ['withdrawn', 'withdrawn', 'withdrawn'],
    );
    desk.fail('/cancel', 'drop');
    await assert.rejects(hasty(PATHS), /it could not be cancelled/);
  });

  it('runs nothing when what is handed over is not what was approved', async (t) => {
    const desk = await startSmallDesk(t);
    const swaps: readonly Partial<Approval>[] = [
      { digest: 'f'.repeat(64), arguments: { path: '/etc' } },
      { arguments: { path: '/etc' } },
      { arguments: { ...PATHS, force: true } },
      { id: 'call_other' },
      { status: 'refused' },
    ];
    for (const swap of swaps) {
      const swapping: typeof fetch = async (input, init) => {
        const response = await fetch(input, init);
        if (!String(input).endsWith('/consume')) return response;
        const { token, approval } = (await response.json()) as Taken;
        return Response.json({ token, approval: { ...approval, ...swap } });
      };
      const { withApproval } = createCountersign({ ...desk, fetch: swapping });
      const running = withApproval(() => assert.fail('It ran.'), { action: 'rm' })(PATHS);
      await approve(desk);
      await assert.rejects(running, UnreachableError, JSON.stringify(swap));
    }
  });

  it('runs nothing when what it waits for turns into another approval', async () => {
    const asked = { id: 'call_1', status: 'pending', digest: 'd', arguments: PATHS };
    const other = { ...asked, id: 'call_2', status: 'approved', arguments: { path: '/etc' } };
    const swapping: typeof fetch = async (_input, init) =>
      Response.json(init?.method === 'POST' ? asked : other);
    const countersign = createCountersign({ url: 'http://desk', key: 'k', fetch: swapping });
    await assert.rejects(
      countersign.requestApproval({ action: 'rm', args: PATHS }),
      UnreachableError,
    );
  });

  it('gives the result all the same when the desk can’t be told, and says so', async (t) => {
    const { desk, countersign } = await begin(t, 0.1);
    const untold: unknown[] = [];
    const run = countersign.withApproval(() => 1, {
      action: 'rm',
      onUnreported: (error) => untold.push(error),
    });
    desk.fail('/report', 'drop');
    const running = run(PATHS);
    await approve(desk);
    assert.equal(await running, 1);
    assert(untold[0] instanceof UnreachableError);
  });
});

describe('a line that breaks', () => {
  it('is taken up again: one approval, however often it was asked for', async (t) => {
    const { desk, remove } = await begin(t);
    desk.fail('/approvals', 'drop-after', { status: 429 }, { status: 502 });
    const running = remove(PATHS);
    const { id } = await desk.decide({ status: 'pending' });
    desk.fail(id, 'drop', { status: 503 });
    await until(() => desk.asked.includes('GET /'), 5);
    desk.fail('/report', 'drop-after');
    await approve(desk);
    assert.equal(await running, 'removed /tmp/a');
    assert.equal(desk.approvals().length, 1);
    assert.equal(desk.approvals()[0]?.status, 'succeeded');
  });

  it('at the taking runs nothing: it may be taken, and nobody else will run it', async (t) => {
    const { desk, remove, ran } = await begin(t);
    desk.fail('/consume', 'drop-after');
    const running = remove(PATHS);
    await approve(desk);
    await assert.rejects(running, OutcomeUnknownError);
    assert.deepEqual(ran, []);
  });

  it('for longer than the patience runs nothing, and neither does what is no desk', async (t) => {
    const { desk, remove, ran, countersign } = await begin(t, 0.1);
    desk.fail('/approvals', 'garbage');
    await assert.rejects(remove(PATHS), UnreachableError);
    desk.fail('/approvals', 'drop');
    await assert.rejects(remove(PATHS), UnreachableError);
    for (const status of [302, 403]) {
      const headers = { location: 'http://127.0.0.1:1/' };
      const fetchPage = async () => new Response('<p>Sign in</p>', { status, headers });
      const gate = createCountersign({ url: 'http://proxy', key: 'k', fetch: fetchPage });
      await assert.rejects(gate.requestApproval({ action: 'rm', args: {} }), {
        name: 'UnreachableError',
        message: `The server at http://proxy/api/approvals is not Countersign: it answered ${status}.`,
      });
    }
    const nobody = createCountersign({ url: 'http://127.0.0.1:1', key: 'k', patience: 0.1 });
    await assert.rejects(nobody.requestApproval({ action: 'rm', args: {} }), UnreachableError);
    desk.revoke();
    await assert.rejects(countersign.getApproval('x'), (error) => {
      assert(error instanceof ProblemError);
      assert.equal(error.status, 401);
      assert.doesNotMatch(`${error.stack}`, /csk_test/);
      return true;
    });
    assert.deepEqual(ran, []);
  });
});

describe('requestApproval', () => {
  it('resolves with what is approved alone, goes on under its key, and tells that it waits', async (t) => {
    const { desk, countersign } = await begin(t);
    const request = { action: 'rm', args: PATHS };
    const seen: string[] = [];
    const options = {
      idempotencyKey: 'once',
      wait: 0.02,
      onWaiting: ({ id }: Approval<object>) => seen.push(id),
    };
    await assert.rejects(countersign.requestApproval(request, options), PendingError);
    await approve(desk);
    const approved = await countersign.requestApproval(request, options);
    assert.deepEqual([...new Set(seen)], [approved.id]);
    const { token, approval } = await countersign.consume<typeof PATHS>(approved);
    assert.deepEqual([token, approval.arguments.path], ['jws', '/tmp/a']);
    await assert.rejects(countersign.consume(approved), TakenError);
    assert.equal((await countersign.cancel(approved.id)).status, 'running');
    assert.equal(desk.approvals().length, 1);
  });
});

it('is one file without imports that runs on its own, wherever it is copied to', async (t) => {
  const source = await readFile(SOURCE, 'utf8');
  assert.deepEqual(importsOf('client/countersign-client.ts', source), []);
  assert.doesNotMatch(source, /\bprocess\b\.|\bBuffer\b|\brequire\(/);
  const { path: folder, remove } = await makeTempDir();
  t.after(remove);
  // As the package is built when it is packed.
  const { scripts, exports } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  const build = String(scripts.prepack).replace('dist/client', join(folder, 'dist/client'));
  const env = { PATH: `${join(ROOT, 'node_modules/.bin')}${delimiter}${process.env.PATH}` };
  const built = spawnSync(build, { cwd: ROOT, shell: true, env, encoding: 'utf8' });
  assert.equal(built.status, 0, built.stdout + built.stderr);
  const { default: file, types } = exports['./client'];
  assert.match(await readFile(join(folder, types), 'utf8'), /withApproval/);
  await copyFile(join(folder, file), join(folder, 'countersign.mjs'));
  await writeFile(
    join(folder, 'main.mjs'),
    `import { createCountersign, UnreachableError } from './countersign.mjs';
     const desk = createCountersign({ url: 'http://127.0.0.1:1', key: 'k', patience: 0 });
     const run = desk.withApproval(() => console.log('ran'), { action: 'a' });
     await run({}).catch((error) => console.log(error instanceof UnreachableError));`,
  );
  const { stdout, stderr } = spawnSync(process.execPath, ['main.mjs'], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 20_000,
  });
  assert.equal(stdout, 'true\n', stderr);
});
