/** What can be pressed on a card. */
import type { Button, ConfirmationDialog, KnownBlock, Overflow, StaticSelect } from '@slack/types';
import type { Call } from '../../../domain/calls/call.ts';
import { isAnswerOnly, isServerQuestion } from '../../../domain/calls/call-origin.ts';
import { encodeCardToken } from '../../../domain/calls/digest.ts';
import type { DecisionKind } from '../../../domain/policy/route.ts';
import { type Masking, maskWholeText } from '../../../domain/secrets/mask-secrets.ts';
import { toVisible } from '../../../domain/text/visible-text.ts';
import { isLongChoice, toChoiceOption } from '../../forms/draw/choice-fields.ts';
import { ACTIONS, CHOICE_BUTTONS, chooseAction } from '../../transport/ids.ts';
import { cardTitleOf } from './heading.ts';

/** What the foot must know besides the call. */
export interface ButtonFacts {
  /** Whether everything of the call stands on the card. */
  readonly whole: boolean;
  /** How large the call is, where it is not whole. */
  readonly size: number;
  readonly editable: boolean;
  readonly masking: Masking;
}

/** Makes a button of the call. */
export type MakeButton = (
  actionId: string,
  text: string,
  more?: Pick<Button, 'style' | 'confirm'>,
) => Button;

/** Makes what makes the buttons of a call. */
export function createButtonMaker(call: Call): MakeButton {
  const value = encodeCardToken(call);
  return (actionId, text, more = {}) => ({
    type: 'button',
    action_id: actionId,
    text: { type: 'plain_text', text, emoji: false },
    value,
    ...more,
  });
}

/** Makes the buttons of a card on which people decide, or say what became of a call. */
export function buildButtons(call: Call, facts: ButtonFacts): KnownBlock[] {
  const button = createButtonMaker(call);
  const look = facts.whole
    ? button(ACTIONS.open, 'Details')
    : button(ACTIONS.open, `Open${describeSize(facts.size)}`);
  if (call.status === 'unknown') {
    return [{ type: 'actions', elements: [...buildSettlementButtons(button), look] }];
  }
  const decisions = buildDecisionButtons(call, facts, button);
  const choices = makeChoices(call, facts.masking);
  const buttons = [...choices, ...decisions];
  if (!facts.whole) return [{ type: 'actions', elements: [look, ...buttons] }];
  const last = buttons.length < MAX_BUTTONS ? look : makeMenu(call);
  return [{ type: 'actions', elements: [...buttons, last] }];
}

/** As many as stand in one row of a phone. */
const MAX_BUTTONS = 4;

/** Makes the menu of what is rarely pressed; Slack takes one with a single option. https://github.com/slackapi/python-slack-sdk/pull/1219 */
function makeMenu(call: Call): Overflow {
  const text = { type: 'plain_text' as const, text: 'Details', emoji: false };
  const options = [{ text, value: encodeCardToken(call) }];
  return { type: 'overflow', action_id: ACTIONS.menu, options };
}

const KB = 1_024;

function describeSize(size: number): string {
  return size < KB ? '' : ` (${Math.round(size / KB)} KB)`;
}

/** Makes the buttons for what people say of a call of which nobody knows whether it ran. */
export function buildSettlementButtons(button: MakeButton): Button[] {
  return [
    button(ACTIONS.settleRan, 'It ran'),
    button(ACTIONS.settleRerun, 'It did not, run it'),
    button(ACTIONS.settleLeave, 'It did not, leave it'),
  ];
}

/** Makes the buttons of those decisions that the route allows; Approve only beside the whole call. */
export function buildDecisionButtons(
  call: Call,
  facts: Pick<ButtonFacts, 'whole' | 'editable'>,
  button: MakeButton,
): Button[] {
  const allows = (kind: DecisionKind) => call.route?.decisions.includes(kind) ?? false;
  if (isServerQuestion(call)) {
    return [
      button(ACTIONS.edit, 'Answer', { style: 'primary' }),
      button(ACTIONS.ignore, 'Decline'),
    ];
  }
  return [
    ...(allows('approve') && facts.whole ? [buildApproveButton(call, button)] : []),
    ...(allows('edit') && facts.editable ? [button(ACTIONS.edit, 'Edit')] : []),
    ...(allows('reply') ? [button(ACTIONS.reply, isAnswerOnly(call) ? 'Answer…' : 'Reply')] : []),
    ...(allows('ignore') ? [button(ACTIONS.ignore, 'Ignore', confirmIgnore(call))] : []),
  ];
}

const MAX_CONFIRM = 300;

/** A high-risk approval repeats the summary in a confirm. */
export function buildApproveButton(call: Call, button: MakeButton): Button {
  const more =
    call.risk === 'high' ? { confirm: ask('Approve this?', cardTitleOf(call), 'Approve') } : {};
  return button(ACTIONS.approve, 'Approve', { style: 'primary', ...more });
}

/** To ignore one call of a message ends its turn. */
function confirmIgnore({ siblings }: Call): Pick<Button, 'confirm'> {
  if (siblings < 2) return {};
  const others = siblings - 1;
  const which = others === 1 ? '1 other call is' : `${others} other calls are`;
  const text = `This ends the request. ${which} withdrawn, if undecided.`;
  return { confirm: ask('Ignore this call?', text, 'Ignore') };
}

function ask(title: string, text: string, confirm: string): ConfirmationDialog {
  const plain = (words: string) => ({
    type: 'plain_text' as const,
    text: words.slice(0, MAX_CONFIRM),
    emoji: false,
  });
  return { title: plain(title), text: plain(text), confirm: plain(confirm), deny: plain('Cancel') };
}

/** Makes what answers a question with one of its answers: few and short ones are buttons. */
function makeChoices(call: Call, masking: Masking): (Button | StaticSelect)[] {
  const { choices = [] } = call.outside ?? {};
  const token = encodeCardToken(call);
  if (choices.length === 0 || !isAnswerOnly(call)) return [];
  if (fitOnButtons(choices, masking)) {
    return choices.map((choice, place) => ({
      type: 'button',
      action_id: chooseAction(place),
      text: { type: 'plain_text', text: choice, emoji: false },
      value: token,
    }));
  }
  const options = choices.map((choice, place) => {
    const option = toChoiceOption(maskWholeText(choice, masking), place);
    return { ...option, value: `${token} ${place}` };
  });
  const placeholder = { type: 'plain_text' as const, text: 'Choose an answer', emoji: false };
  return [{ type: 'static_select', action_id: ACTIONS.choose, placeholder, options }];
}

/** Tells whether each answer is shown whole on a button. */
export function fitOnButtons(choices: readonly string[], masking: Masking): boolean {
  if (choices.length > CHOICE_BUTTONS) return false;
  return choices.every(
    (choice) =>
      !isLongChoice(choice) &&
      toVisible(choice).text === choice &&
      maskWholeText(choice, masking) === choice,
  );
}
