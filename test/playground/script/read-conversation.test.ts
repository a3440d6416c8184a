import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callEditOf } from '../../../src/domain/calls/call-edit.ts';
import { type Outcome, toToolReply } from '../../../src/domain/calls/outcome.ts';
import { askAgainMessage } from '../../../src/domain/threads/ask-again-message.ts';
import {
  parseCallEnd,
  parseConversation,
} from '../../../src/playground/script/read-conversation.ts';
import { aCall } from '../../support/builders/a-call.ts';

const by = { team: 'T1', user: 'U1' };
const ran = (text: string): Outcome => ({ kind: 'result', text });
const failed = (text: string): Outcome => ({ kind: 'error', text });

test('every outcome that the app sends to a model is parsed back', () => {
  const ENDS: readonly (readonly [Outcome, kind: string])[] = [
    [ran('Wrote 3 bytes.'), 'ran'],
    [ran('(no output)'), 'ran'],
    [failed('write_file failed: no.'), 'failed'],
    [{ kind: 'reply', by, text: 'yes\nno' }, 'answered'],
    [{ kind: 'ignored', by }, 'not-run'],
    [{ kind: 'expired' }, 'not-run'],
    [{ kind: 'withdrawn', cause: 'new-message' }, 'not-run'],
    [{ kind: 'withdrawn', cause: 'ignored-sibling' }, 'not-run'],
    [{ kind: 'withdrawn', cause: 'stop' }, 'not-run'],
    [{ kind: 'withdrawn', cause: 'turn-ended' }, 'not-run'],
    [{ kind: 'refused', reason: 'no' }, 'not-run'],
    [{ kind: 'unknown', reason: 'no' }, 'not-run'],
  ];
  for (const [outcome, kind] of ENDS) {
    assert.equal(parseCallEnd('write_file', toToolReply(outcome).text).kind, kind, outcome.kind);
  }
  assert.deepEqual(
    parseCallEnd(
      'write_file',
      toToolReply(failed('write_file failed: no'), editTo('{"a":1}')).text,
    ),
    {
      kind: 'failed',
      text: 'write_file failed: no',
      ranWith: '{"a":1}',
    },
  );
});

/** An edit that ended in these arguments. */
function editTo(args: string) {
  return callEditOf(aCall({ args, proposedArgs: '{}' }));
}

test('a request to ask again for an expired call is parsed as the earlier message of the person', () => {
  const { text } = askAgainMessage(aCall({ tool: 'edit_file', status: 'expired' }), 1);
  const request = {
    model: 'scripted',
    messages: [
      { role: 'user' as const, content: '<@U1>: Switch the greeting' },
      { role: 'assistant' as const, content: 'It is still undecided.' },
      { role: 'user' as const, content: `<@U1>: ${text}` },
    ],
  };
  const talk = { said: 'Switch the greeting', tools: [], attached: [], rounds: [] };
  assert.deepEqual(parseConversation(request), talk);
});
