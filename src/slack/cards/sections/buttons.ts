/** The buttons of a card. */
import type { Button, ConfirmationDialog, KnownBlock, Overflow, StaticSelect } from '@slack/types';
import type { Call } from '../../../domain/calls/call.ts';
import { behaviourOf } from '../../../domain/calls/call-origin.ts';
import { encodeCardToken } from '../../../domain/calls/digest.ts';
import type { DecisionKind } from '../../../domain/policy/route.ts';
import { type Masking, maskWholeText } from '../../../domain/secrets/mask-secrets.ts';
import { toVisible } from '../../../domain/text/visible-text.ts';
import { ACTIONS, CHOICE_BUTTONS, chooseAction } from '../../transport/ids.ts';
import { isLongChoice, toChoiceOption } from '../values/choice-option.ts';
import { cardTitleOf } from './heading.ts';

/** What the buttons depend on besides the call. */
export interface ButtonFacts {
  /** Whether the card shows the whole call. */
  readonly whole: boolean;
  /** The size of the call in bytes, shown if it must be opened. */
  readonly size: number;
  readonly editable: boolean;
  readonly masking: Masking;
}

/** Builds a button that belongs to a call. */
export type MakeButton = (
  actionId: string,
  text: string,
  more?: Pick<Button, 'style' | 'confirm'>,
) => Button;

/** Returns a function that builds buttons for this attempt of a call. */
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

/** Builds the buttons to decide a call, or to say what became of it. */
export function buildButtons(call: Call, facts: ButtonFacts): KnownBlock[] {
  const button = createButtonMaker(call);
  const open = facts.whole
    ? button(ACTIONS.open, 'Details')
    : button(ACTIONS.open, `Open${describeSize(facts.size)}`);
  if (call.status === 'unknown') {
    return [{ type: 'actions', elements: [...buildSettlementButtons(button), open] }];
  }
  const decisions = buildDecisionButtons(call, facts, button);
  const choices = makeChoices(call, facts.masking);
  const buttons = [...choices, ...decisions];
  if (!facts.whole) return [{ type: 'actions', elements: [open, ...buttons] }];
  const last = buttons.length < MAX_BUTTONS ? open : makeMenu(call);
  return [{ type: 'actions', elements: [...buttons, last] }];
}

/** A phone shows this many in one row. */
const MAX_BUTTONS = 4;

/**
 * Builds the menu for the least used button. Slack accepts a single option:
 * https://github.com/slackapi/python-slack-sdk/pull/1219
 */
function makeMenu(call: Call): Overflow {
  const text = { type: 'plain_text' as const, text: 'Details', emoji: false };
  const options = [{ text, value: encodeCardToken(call) }];
  return { type: 'overflow', action_id: ACTIONS.menu, options };
}

const KB = 1_024;

function describeSize(size: number): string {
  return size < KB ? '' : ` (${Math.round(size / KB)} KB)`;
}

/** Builds the buttons with which people say whether a call with an unknown outcome ran. */
export function buildSettlementButtons(button: MakeButton): Button[] {
  return [
    button(ACTIONS.settleRan, 'It Ran'),
    button(ACTIONS.settleRerun, 'Didn’t Run: Run It Now'),
    button(ACTIONS.settleLeave, 'Didn’t Run: Don’t Run It'),
  ];
}

/**
 * Builds the buttons for the decisions that the route allows. Approve needs the whole call in view.
 */
export function buildDecisionButtons(
  call: Call,
  facts: Pick<ButtonFacts, 'whole' | 'editable'>,
  button: MakeButton,
): Button[] {
  const allows = (kind: DecisionKind) => call.route?.decisions.includes(kind) ?? false;
  if (behaviourOf(call).asksFor === 'form') {
    return [
      button(ACTIONS.edit, 'Answer', { style: 'primary' }),
      button(ACTIONS.ignore, 'Decline'),
    ];
  }
  return [
    ...(allows('approve') && facts.whole ? [buildApproveButton(call, button)] : []),
    ...(allows('edit') && facts.editable ? [button(ACTIONS.edit, 'Edit')] : []),
    ...(allows('reply')
      ? [button(ACTIONS.reply, behaviourOf(call).asksFor === 'text' ? 'Answer…' : 'Reply')]
      : []),
    ...(allows('ignore') ? [button(ACTIONS.ignore, 'Ignore', confirmIgnore(call))] : []),
  ];
}

const MAX_CONFIRM = 300;

/** Builds the Approve button. High-risk calls ask for confirmation and repeat the summary. */
export function buildApproveButton(call: Call, button: MakeButton): Button {
  const more =
    call.risk === 'high'
      ? { confirm: confirmDialog('Approve this?', cardTitleOf(call), 'Approve') }
      : {};
  return button(ACTIONS.approve, 'Approve', { style: 'primary', ...more });
}

/** Ignoring one of several calls ends the turn and withdraws the others. */
function confirmIgnore({ siblings }: Call): Pick<Button, 'confirm'> {
  if (siblings < 2) return {};
  const others = siblings - 1;
  const which = others === 1 ? '1 other call is' : `${others} other calls are`;
  const text = `This ends the request. ${which} withdrawn if undecided.`;
  return { confirm: confirmDialog('Ignore this call?', text, 'Ignore') };
}

function confirmDialog(title: string, text: string, confirm: string): ConfirmationDialog {
  const plain = (words: string) => ({
    type: 'plain_text' as const,
    text: words.slice(0, MAX_CONFIRM),
    emoji: false,
  });
  return { title: plain(title), text: plain(text), confirm: plain(confirm), deny: plain('Cancel') };
}

/** Builds the answers that a question offers. If they are few and short, they are buttons. */
function makeChoices(call: Call, masking: Masking): (Button | StaticSelect)[] {
  const { choices = [] } = call.outside ?? {};
  const token = encodeCardToken(call);
  if (choices.length === 0 || behaviourOf(call).asksFor !== 'text') return [];
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

/** Tells whether every answer fits on a button in full. */
export function fitOnButtons(choices: readonly string[], masking: Masking): boolean {
  if (choices.length > CHOICE_BUTTONS) return false;
  return choices.every(
    (choice) =>
      !isLongChoice(choice) &&
      toVisible(choice).text === choice &&
      maskWholeText(choice, masking) === choice,
  );
}
