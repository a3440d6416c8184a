import type { ModalView } from '@slack/types';
import type { Call } from '../../domain/call.ts';
import { encodeCardToken } from '../../domain/digest.ts';
import { toPlainWords } from '../cards/card-facts.ts';
import { VIEWS } from '../ids.ts';
import { LIMITS } from '../limits.ts';
import { objectAt, type Payload, textAt } from '../payload.ts';

export const REPLY_BLOCK = 'reply';
const REPLY_ACTION = 'text';

/** Builds the form in which a person answers the agent instead of approving. */
export function buildReplyForm(call: Call): ModalView {
  return {
    type: 'modal',
    callback_id: VIEWS.reply,
    private_metadata: encodeCardToken(call),
    title: { type: 'plain_text', text: 'Answer the agent' },
    submit: { type: 'plain_text', text: 'Send' },
    close: { type: 'plain_text', text: 'Cancel' },
    blocks: [
      {
        type: 'input',
        block_id: REPLY_BLOCK,
        label: { type: 'plain_text', text: 'What should the agent know?', emoji: false },
        hint: {
          type: 'plain_text',
          text: `“${toPlainWords(call.tool)}” does not run; the agent reads this and plans anew.`,
          emoji: false,
        },
        element: {
          type: 'plain_text_input',
          action_id: REPLY_ACTION,
          multiline: true,
          max_length: LIMITS.inputText,
          focus_on_load: true,
        },
      },
    ],
  };
}

/** Reads the answer; undefined when it says nothing. */
export function readReply(values: Payload): string | undefined {
  const text = textAt(objectAt(objectAt(values, REPLY_BLOCK), REPLY_ACTION), 'value');
  return text === undefined || text.trim() === '' ? undefined : text;
}
