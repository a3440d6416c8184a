import type { InputBlock, ModalView } from '@slack/types';
import type { Call } from '../../../domain/calls/call.ts';
import { encodeCardToken } from '../../../domain/calls/digest.ts';
import { REASON_LENGTH } from '../../../domain/rules/decision-rules.ts';
import { describeToolName } from '../../cards/sections/heading.ts';
import { SENTENCES } from '../../text/outcome-sentences.ts';
import { VIEWS } from '../../transport/ids.ts';
import { objectAt, type Payload, textAt } from '../../transport/payload.ts';
import { validateInputs } from '../read/validate-inputs.ts';

export const REASON_BLOCK = 'reason';
const REASON_ACTION = 'text';

/** Builds the form that asks why a person approves this attempt. */
export function buildReasonForm(call: Call): ModalView {
  return {
    type: 'modal',
    callback_id: VIEWS.reason,
    private_metadata: encodeCardToken(call),
    title: { type: 'plain_text', text: 'Approve' },
    submit: { type: 'plain_text', text: 'Approve' },
    close: { type: 'plain_text', text: 'Cancel' },
    blocks: [reasonInput(`Why do you approve “${describeToolName(call.tool)}”?`)],
  };
}

function reasonInput(label: string): InputBlock {
  return {
    type: 'input',
    block_id: REASON_BLOCK,
    label: { type: 'plain_text', text: label, emoji: false },
    hint: {
      type: 'plain_text',
      text: 'Shown on the card and in the audit log. The agent reads it too.',
      emoji: false,
    },
    element: {
      type: 'plain_text_input',
      action_id: REASON_ACTION,
      multiline: true,
      max_length: REASON_LENGTH,
      focus_on_load: true,
    },
  };
}

/** The reason, or an error for its field. */
export type ReasonRead =
  | { readonly ok: true; readonly reason: string }
  | { readonly ok: false; readonly message: string };

/** Reads the reason that was entered. */
export function readReason(values: Payload): ReasonRead {
  // An empty reason has its own message below.
  const [problem] = validateInputs([reasonInput('')], values, { isWhole: false });
  if (problem !== undefined) return { ok: false, message: problem.message };
  const text = textAt(objectAt(objectAt(values, REASON_BLOCK), REASON_ACTION), 'value') ?? '';
  if (text.trim() === '') return { ok: false, message: SENTENCES.emptyReason };
  return { ok: true, reason: text };
}
