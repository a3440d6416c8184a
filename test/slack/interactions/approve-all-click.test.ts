import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Call, CardPlace } from '../../../src/domain/calls/call.ts';
import type { DecisionCommand, DecisionOutcome } from '../../../src/domain/calls/decision.ts';
import {
  encodeCardTokens,
  parseCardTokens,
  shortDigest,
} from '../../../src/domain/calls/digest.ts';
import type { Click } from '../../../src/slack/inbound/interaction.ts';
import { parseClick } from '../../../src/slack/inbound/parse-click.ts';
import { approveAll } from '../../../src/slack/interactions/approve-all-click.ts';
import type { HandlerDeps } from '../../../src/slack/interactions/handler.ts';
import { aCall } from '../../support/builders/a-call.ts';

const identity = { team: 'T1', botUserId: 'UBOT', botId: 'BOWN', appId: 'A1' };
const HERE: CardPlace = { channel: 'C1', ts: '5.1' };

const three = [0, 1, 2].map((n) =>
  aCall({
    id: `call_${String(n).padStart(22, '0')}`,
    position: n,
    siblings: 3,
    summary: `Do ${n}`,
  }),
);

const payload = (value: string, actionId = 'call.approve-all') => ({
  type: 'block_actions',
  api_app_id: 'A1',
  team: { id: 'T1' },
  user: { id: 'U1', team_id: 'T1' },
  trigger_id: 'tr.1',
  container: { type: 'message', channel_id: 'C1', message_ts: '5.1', thread_ts: '1.1' },
  message: { ts: '5.1', bot_id: 'BOWN', thread_ts: '1.1' },
  actions: [{ type: 'button', action_id: actionId, value }],
});

function clickOn(calls: readonly Call[]): Click {
  const parsed = parseClick(payload(encodeCardTokens(calls)), identity);
  assert.ok(parsed.kind === 'click');
  return parsed;
}

/** Clicks it with a desk that answers so. Returns what the desk was asked and the person was told. */
async function press(
  answer: (command: DecisionCommand) => DecisionOutcome,
  placeOf: (id: string) => CardPlace | undefined = () => HERE,
) {
  const commands: DecisionCommand[] = [];
  const notices: string[] = [];
  const refused: string[] = [];
  const steps: string[] = [];
  // Only the parts that the handler uses.
  const deps = {
    desk: {
      async decide(command: DecisionCommand) {
        commands.push(command);
        steps.push('decide');
        return answer(command);
      },
      async recordRefusal({ subject }: { readonly subject: string }) {
        refused.push(subject);
      },
    },
    cardOf: async (id: string) => placeOf(id),
    privateNotices: {
      tell: async ({ text }: { readonly text: string }) => void notices.push(text),
    },
    log: { error: () => void steps.push('logged') },
  } as unknown as HandlerDeps;
  await approveAll(clickOn(three), async () => void steps.push('ack'), deps);
  return { commands, notices, refused, steps };
}

const callOf = ({ callId }: DecisionCommand) => three.find(({ id }) => id === callId) ?? aCall();
const approved = (command: DecisionCommand): DecisionOutcome => {
  const verdict = { kind: 'approve' as const, by: command.by, at: 1 };
  return { kind: 'decided', call: { ...callOf(command), status: 'approved', verdict } };
};

describe('a click on Approve All', () => {
  it('decides each attempt that the button names, in order, before it acknowledges', async () => {
    const { commands, steps, notices } = await press(approved);
    assert.deepEqual(
      commands.map(({ callId, attempt, digest, decision }) => [callId, attempt, digest, decision]),
      three.map(({ id, attempt, digest }) => [
        id,
        attempt,
        shortDigest(digest),
        { kind: 'approve' },
      ]),
    );
    assert.deepEqual(steps, ['decide', 'decide', 'decide', 'ack']);
    assert.deepEqual(notices, ['Approved 3: *Do 0*, *Do 1*, *Do 2*.']);
  });

  it('says which calls were not approved, and why, beside those that were', async () => {
    const { notices } = await press((command) => {
      const call = callOf(command);
      if (call.position === 1) return { kind: 'stale', call: { ...call, attempt: 2 } };
      return call.position === 2 ? { kind: 'recorded', call, missing: 1 } : approved(command);
    });
    assert.equal(notices.length, 1);
    assert.match(notices[0] ?? '', /^Approved 1: \*Do 0\*\.\nYour approval counts for 1: \*Do 2\*/);
    assert.match(notices[0] ?? '', /\n1 not approved: Nothing changed: /);
  });

  it('says only once that the person may not decide', async () => {
    const { notices } = await press((command) => {
      return { kind: 'not-allowed', call: callOf(command), why: 'Only others may.' };
    });
    assert.deepEqual(notices, ['Nothing changed. Only others may.']);
  });

  it('does not decide a call whose card is now another message', async () => {
    const moved = three[1]?.id;
    const { commands, refused, notices } = await press(approved, (id) =>
      id === moved ? { ...HERE, ts: '9.9' } : HERE,
    );
    assert.deepEqual(
      commands.map(({ callId }) => callId),
      [three[0]?.id, three[2]?.id],
    );
    assert.deepEqual(refused, [moved]);
    assert.match(notices[0] ?? '', /^Approved 2: .*\n1 not approved: /);
  });

  it('says what was saved when an error interrupts it, and that nothing was if it fails at once', async () => {
    const breaksAt = (position: number) => (command: DecisionCommand) => {
      if (callOf(command).position >= position) throw new Error('The disk is full.');
      return approved(command);
    };
    const { commands, notices } = await press(breaksAt(1));
    assert.equal(commands.length, 2);
    assert.match(notices[0] ?? '', /^Approved 1: \*Do 0\*\.\n2 not approved: Something went wrong/);
    await assert.rejects(press(breaksAt(0)), /disk is full/);
  });
});

describe('the value of Approve All', () => {
  const value = encodeCardTokens(three);
  const refused = [
    ['twice the same call', `${value} ${value.split(' ')[0]}`],
    ['something that is no token', `${value} x`],
    ['nothing', ''],
    ['two spaces', value.replace(' ', '  ')],
  ] as const;
  for (const [what, text] of refused) {
    it(`is refused if it has ${what}`, () => {
      assert.equal(parseCardTokens(text), undefined);
      assert.equal(parseClick(payload(text), identity).kind, 'refused');
    });
  }

  it('is not the value of another button', () => {
    assert.equal(parseClick(payload(value, 'call.approve'), identity).kind, 'refused');
  });

  it('names 20 calls with the longest tokens within Slack’s limit', () => {
    const calls = Array.from({ length: 20 }, (_, n) =>
      aCall({ id: `call_${String(n).padStart(22, 'x')}`, attempt: 999_999 }),
    );
    assert.ok(encodeCardTokens(calls).length <= 2_000);
    assert.equal(parseCardTokens(encodeCardTokens(calls))?.length, 20);
  });
});
