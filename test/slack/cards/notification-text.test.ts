/** What a lock screen shows of a card, by its kind, its status and the operator's setting. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Call, CallStatus } from '../../../src/domain/calls/call.ts';
import { maskingOfCall } from '../../../src/domain/calls/call-secrets.ts';
import type { NotificationDetail } from '../../../src/domain/cards/notification-detail.ts';
import type { ApproverAvailability } from '../../../src/domain/rules/approver-availability.ts';
import { hidesFirstBlocks, notificationText } from '../../../src/slack/cards/notification-text.ts';
import { aCall } from '../../support/builders/a-call.ts';
import { TEST_MARK } from '../../support/test-secret-mark.ts';

const WORDS = 'It came damaged. <!here> “ok” xoxb-not-a-real-token-1';
const KINDS: Readonly<Record<string, Partial<Call>>> = {
  own: { summary: 'Refund €80.00 to Jane Doe', words: WORDS },
  'own without a summary': { words: '' },
  program: { outside: { by: 'key', name: 'deploy-bot' }, words: WORDS },
  'tool of a server': { server: 'crm', words: '' },
  helper: { summary: 'Read a.txt', agent: 'research', words: '' },
  question: {
    tool: 'ask_human',
    args: '{"question":"Which colour?"}',
    outside: { by: 'key', name: 'deploy-bot', decisions: ['reply'] },
  },
  elicitation: {
    outside: { by: 'server', name: 'crm', decisions: ['edit', 'ignore'] },
    words: 'Your name?',
  },
};

type Row = readonly [kind: string, status: CallStatus, setting: NotificationDetail, text: string];

const PREVIEW =
  ' It says: “It came damaged. &lt;!here&gt; "ok" ⟨hidden: a Slack token, mark 5b7c…⟩”';
const TABLE: readonly Row[] = [
  ['own', 'pending', 'none', 'A call is waiting for a decision.'],
  ['own', 'pending', 'summary', 'Approve? Refund €80.00 to Jane Doe. Asked by <@U1> in <#C1>.'],
  [
    'own',
    'pending',
    'full',
    `Approve? Refund €80.00 to Jane Doe. Asked by <@U1> in <#C1>.${PREVIEW}`,
  ],
  ['own', 'succeeded', 'none', 'A decided call has been updated.'],
  ['own', 'succeeded', 'summary', 'Refund €80.00 to Jane Doe: Done.'],
  ['own', 'unknown', 'summary', 'Refund €80.00 to Jane Doe: This may have run.'],
  [
    'own without a summary',
    'pending',
    'full',
    'Approve? Write file (write_file). Asked by <@U1> in <#C1>.',
  ],
  ['program', 'pending', 'none', 'A call is waiting for a decision.'],
  ['program', 'pending', 'summary', 'Approve? deploy-bot: write_file, for <@U1> in <#C1>.'],
  ['program', 'pending', 'full', `Approve? deploy-bot: write_file, for <@U1> in <#C1>.${PREVIEW}`],
  ['program', 'running', 'summary', 'deploy-bot: write_file: Picked up, waiting for the result.'],
  ['tool of a server', 'pending', 'summary', 'Approve? crm: write_file. Asked by <@U1> in <#C1>.'],
  [
    'helper',
    'pending',
    'summary',
    'Approve? Read a.txt. Asked by helper research, for <@U1> in <#C1>.',
  ],
  ['question', 'pending', 'none', 'A question is waiting for an answer.'],
  ['question', 'pending', 'summary', 'Answer? Question from deploy-bot, for <@U1> in <#C1>.'],
  [
    'question',
    'pending',
    'full',
    'Answer? Question from deploy-bot, for <@U1> in <#C1>. It says: “Which colour?”',
  ],
  ['question', 'replied', 'summary', 'Question from deploy-bot: Answered.'],
  ['elicitation', 'pending', 'none', 'A question is waiting for an answer.'],
  ['elicitation', 'pending', 'summary', 'Answer? Question from crm, for <@U1> in <#C1>.'],
  [
    'elicitation',
    'pending',
    'full',
    'Answer? Question from crm, for <@U1> in <#C1>. It says: “Your name?”',
  ],
];

function notificationOf(
  kind: string,
  status: CallStatus,
  detail: NotificationDetail,
  availability?: ApproverAvailability,
) {
  const call = aCall({ ...KINDS[kind], status });
  const masking = maskingOfCall(call, undefined, { mark: TEST_MARK, reveals: false });
  const text = notificationText(call, { detail, masking, availability });
  return text.replace(/mark [0-9a-f]+⟩/, 'mark 5b7c…⟩');
}

describe('the text of a notification', () => {
  for (const [kind, status, setting, text] of TABLE) {
    it(`of a call (${kind}, ${status}) with the setting ${setting}`, () => {
      assert.equal(notificationOf(kind, status, setting), text);
    });
  }

  it('names the requester without a mention if no mention is needed, and never in a direct message', () => {
    const availability = { awaited: [], unable: [], asker: { person: 'U1', name: 'Riley' } };
    assert.equal(
      notificationOf('own', 'pending', 'summary', availability),
      'Approve? Refund €80.00 to Jane Doe. Asked by Riley in <#C1>.',
    );
    const call = aCall({ ...KINDS.own, thread: 'T1/D1/1700000000.000100' as Call['thread'] });
    const masking = maskingOfCall(call, undefined, { mark: TEST_MARK, reveals: false });
    assert.doesNotMatch(notificationText(call, { detail: 'summary', masking }), / in /);
  });

  it('has no text of the agent, unless the setting allows everything', () => {
    for (const kind of Object.keys(KINDS)) {
      for (const detail of ['none', 'summary'] as const) {
        assert.doesNotMatch(notificationOf(kind, 'pending', detail), /damaged|colour|Your name/);
      }
    }
  });

  it('precedes a card whose first blocks show more', () => {
    const shy = (kind: string, detail: NotificationDetail) =>
      hidesFirstBlocks(aCall(KINDS[kind]), detail);
    assert.deepEqual(
      (['none', 'summary', 'full'] as const).map((detail) => [
        shy('own', detail),
        shy('question', detail),
        shy('elicitation', detail),
      ]),
      [
        [true, true, true],
        [false, true, true],
        [false, false, false],
      ],
    );
  });
});
