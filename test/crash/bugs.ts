/** Bugs that the proof must find: each is an exact text of the source and what it is replaced by. */
export interface PlantedBug {
  readonly name: string;
  readonly edits: readonly { readonly file: string; readonly from: string; readonly to: string }[];
  readonly suite: string;
  /** A part of the title of the test that finds it; absent: any of the suite. */
  readonly only?: string;
  /** Where the sequences begin, so that the bug shows as is meant. (Default: 3.) */
  readonly seed?: string;
  /** What the suite says of it. */
  readonly finds: RegExp;
}

const MODEL = 'test/crash/model-based.test.ts';

/** All planted bugs. */
export const BUGS: readonly PlantedBug[] = [
  {
    name: 'a ledger that writes without comparing revisions',
    edits: [
      {
        file: 'src/stores/sqlite/sqlite-ledger.ts',
        from: 'WHERE id = @id AND revision = @before`',
        to: 'WHERE id = @id AND @before > 0`',
      },
    ],
    suite: MODEL,
    finds: /already-decided/,
  },
  {
    name: 'an inbox that takes a message twice',
    edits: [
      {
        file: 'src/stores/sqlite/sqlite-inbox.ts',
        from: 'ON CONFLICT (id) DO NOTHING`',
        to: "ON CONFLICT (id) DO UPDATE SET state = 'waiting'`",
      },
    ],
    suite: MODEL,
    finds: /'known'/,
  },
  {
    name: 'an acknowledgement before the write',
    edits: [
      {
        file: 'src/slack/inbox-gate.ts',
        from: 'const seen = await desk.receive(message);',
        to: "const seen = 'new' as const;\n    desk.receive(message).catch(() => {});",
      },
    ],
    suite: 'test/slack/slack-app.test.ts',
    only: 'keeps the acknowledgement back',
    finds: /not ok .* keeps the acknowledgement back until the message is stored/,
  },
  {
    name: 'a digest that nobody checks again',
    edits: [
      {
        file: 'src/domain/digest.ts',
        from: '    args: call.args,\n',
        to: '',
      },
    ],
    suite: MODEL,
    seed: '1',
    finds: /I2: .* took effect 1 times, and not 0 to 0/,
  },
  {
    name: 'an approval of one call that counts for all of its batch',
    edits: [
      {
        file: 'src/desk/decide.ts',
        from: '    deps.integrity.sound(steps);\n',
        to: `    deps.integrity.sound(steps);
    const last = steps.at(-1)?.call;
    for (const other of last?.status === 'approved' ? await store.ledger.ofThread(last.thread) : []) {
      if (other.messageId !== last?.messageId || other.status !== 'pending') continue;
      const after = { ...other, status: 'approved' as const, votes: last.votes, revision: other.revision + 1 };
      const more = [{ cause: 'approve' as const, call: after }];
      await store.ledger.write(other, more, effectsOf(other, more, by));
    }
`,
      },
    ],
    suite: 'test/crash/resumes.test.ts',
    finds: /Only the call runs that was approved, and once/,
  },
  {
    name: 'a requester who approves their own call where the route forbids it',
    edits: [
      {
        file: 'src/domain/permit.ts',
        from: 'const approves = !isSamePerson(person, requester) || route.selfApproval;',
        to: 'const approves = true;',
      },
    ],
    suite: MODEL,
    finds: /not-allowed/,
  },
  {
    name: 'a call that is run again though nobody knows whether it ran',
    edits: [
      {
        file: 'src/domain/claim.ts',
        from: "  if (call.idempotent && mayRerun && call.doubt !== 'unsealed') {\n",
        to: '  if (call.id !== undefined) {\n',
      },
    ],
    suite: MODEL,
    finds: /I2: .* took effect 2 times/,
  },
  {
    name: 'a fence that nobody looks at',
    edits: [
      {
        file: 'src/stores/sqlite/sqlite-agenda.ts',
        from: 'if (newest === fence.token) return;',
        to: 'if (fence.token > 0) return;',
      },
    ],
    suite: 'test/stores/sqlite/store-contract.test.ts',
    finds: /not ok .* a worker that lost the thread/,
  },
  {
    name: 'a turn that begins anew when its checkpoints are lost',
    edits: [
      {
        file: 'src/desk/recover-turn.ts',
        from: '      if (holdsTurn(turn.stored, message.id, turn)) return turn.stored;\n',
        to: '      if (turn.stored.turn === undefined) return turn.stored;\n',
      },
    ],
    suite: MODEL,
    finds: /"kind":"lose"/,
  },
];
