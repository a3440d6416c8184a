import type { KnownBlock, ModalView } from '@slack/types';
import type { Call } from '../../../domain/calls/call.ts';
import { behaviourOf } from '../../../domain/calls/call-origin.ts';
import { maskingOfCall } from '../../../domain/calls/call-secrets.ts';
import { encodeCardToken } from '../../../domain/calls/digest.ts';
import { type Masking, maskWholeText } from '../../../domain/secrets/mask-secrets.ts';
import type { SecretMark } from '../../../domain/secrets/secret-mark.ts';
import { renderChoices } from '../../cards/call-card.ts';
import { describeToolName } from '../../cards/sections/heading.ts';
import { buildWarnings } from '../../cards/sections/warnings.ts';
import { isLongChoice } from '../../cards/values/choice-option.ts';
import { fitValues, sumHiddenCharacters } from '../../cards/values/fit-values.ts';
import { type ArgumentsContext, renderArguments } from '../../cards/values/render-arguments.ts';
import { buildValueBlock } from '../../cards/values/rich-text-blocks.ts';
import { BUDGET, LIMITS } from '../../text/limits.ts';
import { describeReplyReader, SENTENCES } from '../../text/outcome-sentences.ts';
import { VIEWS } from '../../transport/ids.ts';
import { objectAt, type Payload, textAt } from '../../transport/payload.ts';
import { validateInputs, valuesOfInputs } from '../read/validate-inputs.ts';
import { buildChoices, CHOICE_BLOCK, readChoice } from './choice-fields.ts';

const REPLY_BLOCK = 'reply';
const REPLY_ACTION = 'text';

const TITLES = {
  key: 'Answer the program',
  server: 'Answer the server',
  graph: 'Reply to the agent',
};

/** Builds the form to answer a question, or to reply instead of approving. */
export function buildReplyForm(
  call: Call,
  context: { readonly tool: ArgumentsContext | undefined; readonly mark: SecretMark },
): ModalView {
  const masking = maskingOfCall(call, context.tool, { mark: context.mark, reveals: false });
  const choices = (call.outside?.choices ?? []).map((choice) => maskWholeText(choice, masking));
  return {
    type: 'modal',
    callback_id: VIEWS.reply,
    private_metadata: encodeCardToken(call),
    title: { type: 'plain_text', text: TITLES[call.outside?.by ?? 'graph'] },
    submit: { type: 'plain_text', text: 'Send' },
    close: { type: 'plain_text', text: 'Cancel' },
    blocks: [...buildQuestion(call, context.tool, masking), ...replyInputs(call, choices)],
  };
}

function replyInputs(call: Call, choices: readonly string[]): readonly KnownBlock[] {
  return [
    ...(choices.length === 0 ? [] : [buildChoices(choices)]),
    {
      type: 'input',
      block_id: REPLY_BLOCK,
      optional: choices.length > 0,
      label: { type: 'plain_text', text: describeLabel(call, choices.length > 0), emoji: false },
      hint: { type: 'plain_text', text: describeHint(call), emoji: false },
      element: {
        type: 'plain_text_input',
        action_id: REPLY_ACTION,
        multiline: true,
        max_length: LIMITS.inputText,
        focus_on_load: choices.length === 0,
      },
    },
  ];
}

/**
 * Repeats the question, because the form covers the card on a phone, and any answer too long for an
 * option.
 */
function buildQuestion(
  call: Call,
  tool: ArgumentsContext | undefined,
  masking: Masking,
): KnownBlock[] {
  const asked = renderArguments(call.args, tool?.schema, masking);
  const isLong = call.outside?.choices?.some(isLongChoice) ?? false;
  const pieces = [
    ...(behaviourOf(call).asksFor === 'text' ? asked : []),
    ...(isLong ? renderChoices(call, masking) : []),
  ];
  const room = {
    rows: BUDGET.formRows,
    each: () => BUDGET.formPieceRows,
    count: BUDGET.pagePieces,
  };
  return [
    ...buildValueBlock(fitValues(pieces, room).pieces),
    ...buildWarnings(sumHiddenCharacters(pieces), { reveals: false }),
  ];
}

function describeLabel(call: Call, isChoice: boolean): string {
  if (isChoice) return 'Or in your own words';
  return behaviourOf(call).asksFor === 'text'
    ? 'Your answer'
    : `Reply to ${describeReplyReader(call)}`;
}

function describeHint(call: Call): string {
  const who = describeReplyReader(call);
  if (behaviourOf(call).asksFor === 'text')
    return `${who.charAt(0).toUpperCase()}${who.slice(1)} reads this.`;
  const after = behaviourOf(call).reportsTo === 'caller' ? '' : ' and makes a new plan';
  return `“${describeToolName(call.tool)}” will not run; ${who} reads this${after}.`;
}

/** The answer: a text, or the index of an offered answer. */
export type ReplyRead =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'choice'; readonly place: number }
  /** Errors by block id. */
  | { readonly kind: 'invalid'; readonly errors: Readonly<Record<string, string>> };

/** Reads the answer: an offered one or a text, not both. */
export function readReply(call: Call, sent: Payload): ReplyRead {
  const inputs = replyInputs(call, call.outside?.choices ?? []);
  const values = valuesOfInputs(inputs, sent);
  const [problem] = validateInputs(inputs, values, { isWhole: false });
  if (problem?.id === CHOICE_BLOCK) return errorFor(CHOICE_BLOCK, SENTENCES.noSuchChoice);
  if (problem !== undefined) return errorFor(problem.id, problem.message);
  const text = textAt(objectAt(objectAt(values, REPLY_BLOCK), REPLY_ACTION), 'value') ?? '';
  const chosen = readChoice(values);
  if (chosen === 'wrong') return errorFor(CHOICE_BLOCK, SENTENCES.noSuchChoice);
  const isBlank = text.trim() === '';
  if (typeof chosen === 'number') {
    return isBlank
      ? { kind: 'choice', place: chosen }
      : errorFor(REPLY_BLOCK, SENTENCES.twoAnswers);
  }
  if (!isBlank) return { kind: 'text', text };
  const isOffered = Object.hasOwn(values, CHOICE_BLOCK);
  return errorFor(REPLY_BLOCK, isOffered ? SENTENCES.emptyAnswer : SENTENCES.emptyReply);
}

function errorFor(block: string, sentence: string): ReplyRead {
  return { kind: 'invalid', errors: { [block]: sentence } };
}
