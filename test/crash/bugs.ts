/** Bugs that the crash tests must find: each replaces an exact text of the source. */
export interface PlantedBug {
  readonly name: string;
  readonly edits: readonly { readonly file: string; readonly from: string; readonly to: string }[];
  readonly suite: string;
  /** A part of the title of the test that finds it; absent: any test of the suite. */
  readonly only?: string;
  /** The first seed of the sequences, so that the bug shows as intended. (Default: 3.) */
  readonly seed?: string;
  /** The expected output of the suite. */
  readonly finds: RegExp;
}

const MODEL = 'test/crash/model-based.test.ts';
const RECORDS = 'test/stores/sqlite/sqlite-records.test.ts';

/** All planted bugs. */
export const BUGS: readonly PlantedBug[] = [
  {
    name: 'a ledger that writes without comparing revisions',
    edits: [
      {
        file: 'src/stores/repositories/calls.ts',
        from: 'if (stored?.call.revision !== before.revision) return false;',
        to: 'if (!stored) return false;',
      },
    ],
    suite: MODEL,
    finds: /already-decided/,
  },
  {
    name: 'a commit that overwrites what is newer',
    edits: [
      {
        file: 'src/stores/sqlite/record-statements.ts',
        from: 'document = ? WHERE key = ? AND revision = ? RETURNING number',
        to: 'document = ? WHERE key = ? AND ? > 0 RETURNING number',
      },
    ],
    suite: RECORDS,
    finds: /not ok/,
  },
  {
    name: 'a commit that is done again when its answer was lost',
    edits: [
      {
        file: 'src/stores/sqlite/sqlite-records.ts',
        from: '    if (known) return known;\n',
        to: '    if (known?.kind === undefined) receipts.clear();\n',
      },
    ],
    suite: RECORDS,
    finds: /not ok/,
  },
  {
    name: 'an index entry that is not removed',
    edits: [
      {
        file: 'src/stores/sqlite/sqlite-records.ts',
        from: '(change.drop ?? []).map(at)',
        to: '(change.drop?.slice(1) ?? []).map(at)',
      },
    ],
    suite: RECORDS,
    finds: /not ok/,
  },
  {
    name: 'a commit without its fence',
    edits: [
      {
        file: 'src/stores/repositories/documents/change-records.ts',
        from: '      ...(fence && { fences: [fence] }),\n',
        to: '',
      },
    ],
    suite: 'test/stores/sqlite/store-contract.test.ts',
    finds: /not ok .* a worker that lost the thread/,
  },
  {
    name: 'a task that is done though it was asked for again',
    edits: [
      {
        file: 'src/stores/sqlite/task-statements.ts',
        from: "'DELETE FROM tasks WHERE unit = @unit AND id = @id AND taken = 1 AND again IS NULL'",
        to: "'DELETE FROM tasks WHERE unit = @unit AND id = @id AND taken = 1'",
      },
    ],
    suite: RECORDS,
    finds: /not ok/,
  },
  {
    name: 'a claim that does not name the pause that it has read',
    edits: [
      {
        file: 'src/stores/repositories/calls.ts',
        from: '        if (seen && !draft.expect(seen)) return false;\n',
        to: '        if (seen && seen.size < 0) return false;\n',
      },
    ],
    suite: 'test/desk/control/pausing.test.ts',
    only: 'between the last look at a call and its claim',
    finds: /not ok/,
  },
  {
    name: 'a holder that trusts what it keeps, whatever others say',
    edits: [
      {
        file: 'src/stores/holds/held-units.ts',
        from: '      held.cache.drop();\n',
        to: '',
      },
    ],
    suite: 'test/stores/redis/holds.test.ts',
    finds: /not ok .*a holder sees a change/,
  },
  {
    name: 'a holder that trusts what it keeps once its thread is lost',
    edits: [
      {
        file: 'src/stores/holds/held-records.ts',
        from: 'return hold && units.newestOf(hold)?.cache;',
        to: 'return hold && (kept ??= units.newestOf(hold)?.cache);',
      },
      {
        file: 'src/stores/holds/held-records.ts',
        from: '  const here = (): Place | undefined => {\n',
        to: '  let kept: HoldCache | undefined;\n  const here = (): Place | undefined => {\n',
      },
    ],
    suite: 'test/stores/redis/holds.test.ts',
    finds: /not ok .*nothing is cached for a thread/,
  },
  {
    name: 'a task that is done before what it has to do',
    edits: [
      {
        file: 'src/desk/worker/running-tasks.ts',
        from: `      await agenda.within(first, () => handlerOf(deps.handlers, first)(first.key.id, work));
      await agenda.finish(held.current());
`,
        to: `      await agenda.finish(held.current());
      await agenda.within(first, () => handlerOf(deps.handlers, first)(first.key.id, work));
`,
      },
    ],
    suite: MODEL,
    finds: /not ok/,
  },
  {
    name: 'an inbox that takes a message twice',
    edits: [
      {
        file: 'src/stores/repositories/messages.ts',
        from: "  if (await draft.read(MESSAGE, id)) return 'known';\n",
        to: '  await draft.read(MESSAGE, id);\n',
      },
    ],
    suite: MODEL,
    finds: /'known'/,
  },
  {
    name: 'an audit that seals what others wrote',
    edits: [
      {
        file: 'src/domain/audit/audit.ts',
        from: 'const isGenuine = seal === undefined || mark === markOf(stored, seal);',
        to: 'const isGenuine = mark !== undefined;',
      },
    ],
    suite: 'test/stores/repositories/audit.test.ts',
    finds: /not ok .* seals nothing that was not made with the key/,
  },
  {
    name: 'an acknowledgement before the write',
    edits: [
      {
        file: 'src/slack/inbound/store-before-ack.ts',
        from: 'const seen = await desk.receive(message);',
        to: "const seen = 'new' as const;\n    desk.receive(message).catch(() => {});",
      },
    ],
    suite: 'test/slack/create-slack-app.test.ts',
    only: 'acknowledges a message only after',
    finds: /not ok .* acknowledges a message only after it is stored/,
  },
  {
    name: 'a digest that nobody checks again',
    edits: [
      {
        file: 'src/domain/calls/digest.ts',
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
        file: 'src/desk/decisions/commit-decision.ts',
        from: '  deps.integrity.alarmIfForged(all);\n',
        to: `  deps.integrity.alarmIfForged(all);
  const last = steps.at(-1)?.call;
  for (const other of last?.status === 'approved' ? await deps.store.ledger.ofThread(last.thread) : []) {
    if (other.messageId !== last?.messageId || other.status !== 'pending') continue;
    const after = { ...other, status: 'approved' as const, votes: last.votes, revision: other.revision + 1 };
    const more = [{ cause: 'approve' as const, call: after }];
    await deps.store.ledger.write(other, more, callEffectsOf(other, more, by));
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
        file: 'src/domain/rules/decision-permission.ts',
        from: 'const approves = !isSamePerson(person, requester) || route.selfApproval;',
        to: 'const approves = true;',
      },
    ],
    suite: MODEL,
    seed: '20',
    finds: /not-allowed/,
  },
  {
    name: 'a call that is run again though nobody knows whether it ran',
    edits: [
      {
        file: 'src/domain/rules/execution-rules.ts',
        from: "  if (call.idempotent && mayRerun && call.sealProblem !== 'unsealed') {\n",
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
        file: 'src/stores/sqlite/sqlite-records.ts',
        from: 'find((fence) => !tasks.isHeld(fence))',
        to: 'find(({ token }) => token < 0)',
      },
    ],
    suite: 'test/stores/sqlite/store-contract.test.ts',
    finds: /not ok .* a worker that lost the thread/,
  },
  {
    name: 'a turn that begins anew when its checkpoints are lost',
    edits: [
      {
        file: 'src/desk/turns/recover-turn.ts',
        from: '      if (isWholeTurn(turn.stored, message.id, turn)) return turn.stored;\n',
        to: '      if (turn.stored.turn === undefined) return turn.stored;\n',
      },
    ],
    suite: MODEL,
    finds: /"kind":"lose"/,
  },
];
