/** A desk on which a group approves, and what people do on its surfaces. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Call } from '../../../src/domain/calls/call.ts';
import { shortDigest } from '../../../src/domain/calls/digest.ts';
import type { Person } from '../../../src/domain/people/person.ts';
import type { Route } from '../../../src/domain/policy/route.ts';
import { createTestDirectory, type TestDirectory } from '../../support/builders/a-directory.ts';
import { createRecordedTool } from '../../support/builders/recorded-tool.ts';
import { askAll, buildDesk, type TestDesk } from '../../support/desk/build-desk.ts';
import { sayCalls, sayText } from '../../support/servers/mock-model.ts';
import { until } from '../../support/until.ts';

export interface ApprovalDesk {
  readonly desk: TestDesk;
  readonly directory: TestDirectory;
  readonly tool: ReturnType<typeof createRecordedTool>;
  /** The only call of the thread, as stored now. */
  call(): Promise<Call>;
  /** Audit entries of one kind, as text. */
  audited(event: string): Promise<readonly string[]>;
  /** The private messages to one person, or the messages to the whole thread. */
  told(person?: Person): readonly string[];
}

/** Members of the group that approves on the desks of these tests. */
export const GROUP_ROUTE: Partial<Route> = {
  name: 'ops',
  approvers: ['usergroup:S1'],
  selfApproval: false,
};

/** Sets up a desk with one pending call of the requester; U2 and U3 are in the group S1, whose handle is `ops`. */
export async function approvalDesk(
  t: TestContext,
  route: Partial<Route> = GROUP_ROUTE,
  options: { readonly stalled?: boolean; readonly directory?: TestDirectory } = {},
): Promise<ApprovalDesk> {
  const directory = options.directory ?? createTestDirectory();
  if (!options.directory) directory.setGroup('usergroup:S1', ['U2', 'U3'], { handle: 'ops' });
  const tool = createRecordedTool();
  const desk = await buildDesk(t, {
    gate: askAll(route),
    tools: [tool.definition],
    ...options,
    directory,
  });
  desk.model.script((_request, index) =>
    index === 0 ? sayCalls([{ name: 'act', args: '{"note":"a"}' }]) : sayText('All done.'),
  );
  await desk.send('please act');
  return {
    desk,
    directory,
    tool,
    async call() {
      const [call] = await desk.calls();
      assert.ok(call);
      return call;
    },
    async audited(event) {
      const entries = await desk.store.audit.read(1, 10_000);
      return entries
        .filter((entry) => entry.event === event)
        .map(({ actor, detail }) => `${actor} ${JSON.stringify(detail)}`);
    },
    told: (person) =>
      desk.chat.said
        .filter(({ kind, to }) =>
          person ? kind === 'private' && to?.user === person.user : kind !== 'private',
        )
        .map(({ text }) => text),
  };
}

/** One way to decide, with the kind of its result, or `message` for a message in the thread. */
export interface Surface {
  readonly name: string;
  /** Whether it is for a pending call or for one with an unknown outcome. */
  readonly on: 'pending' | 'unknown';
  /** Returns the kind of the result. */
  use(on: ApprovalDesk, by: Person): Promise<string>;
}

const decide =
  (decision: Parameters<TestDesk['decide']>[2]): Surface['use'] =>
  async ({ desk, call }, by) =>
    (await desk.decide(await call(), by, decision)).kind;

const look =
  (kind: 'approve' | 'edit' | 'reply', more: { readonly settles?: true } = {}): Surface['use'] =>
  async ({ desk, call }, by) => {
    const { id: callId, attempt, digest } = await call();
    const seen = { callId, attempt, digest: shortDigest(digest), by, kind, ...more };
    return (await desk.desk.checkDecision(seen)).kind;
  };

const settle =
  (finding: 'ran' | 'rerun' | 'leave'): Surface['use'] =>
  async ({ desk, call }, by) => {
    const { id: callId, attempt, digest } = await call();
    const command = { callId, attempt, digest: shortDigest(digest), by, finding };
    const { kind } = await desk.desk.settle(command);
    await desk.worker.idle();
    return kind;
  };

/** Every way to decide except a message in the thread, which gets no immediate answer. */
export const SURFACES: readonly Surface[] = [
  { name: 'Approve', on: 'pending', use: decide({ kind: 'approve' }) },
  { name: 'Approve with a reason', on: 'pending', use: decide({ kind: 'approve', reason: 'ok' }) },
  { name: 'Ignore', on: 'pending', use: decide({ kind: 'ignore' }) },
  { name: 'Edit', on: 'pending', use: look('edit') },
  { name: 'the edit form', on: 'pending', use: decide({ kind: 'edit', args: { note: 'b' } }) },
  { name: 'Reply', on: 'pending', use: look('reply') },
  { name: 'the reply form', on: 'pending', use: decide({ kind: 'reply', text: 'no' }) },
  { name: 'the full view', on: 'pending', use: look('approve') },
  { name: 'the review', on: 'unknown', use: look('approve', { settles: true }) },
  { name: 'It Ran', on: 'unknown', use: settle('ran') },
  { name: 'Didn’t Run: Run It Now', on: 'unknown', use: settle('rerun') },
  { name: 'Didn’t Run: Don’t Run It', on: 'unknown', use: settle('leave') },
];

/** Runs the call of a stalled desk in a process that dies during the run, as its approver sees it. */
export async function loseRun(on: ApprovalDesk, approver: Person): Promise<void> {
  const release = on.tool.hold();
  const deciding = on.desk.decide(await on.call(), approver);
  await until(() => on.tool.runs.length === 1);
  await on.desk.clock.advance(35_000);
  await on.desk.takeOver().idle();
  await until(async () => (await on.call()).status === 'unknown');
  release();
  await deciding;
}
