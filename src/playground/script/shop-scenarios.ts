import type { ConversationTurn } from './read-conversation.ts';
import {
  callThenDescribe,
  type Scenario,
  type ScriptedAnswer,
  type ScriptedCall,
} from './scenario.ts';

const COMMAND = 'ls -la && du -sh .';

/** Scenarios with the playground's shop, and with commands. */
export const SHOP_SCENARIOS: readonly Scenario[] = [
  {
    label: 'Refund an order',
    text: 'Refund €80 of order A-10293, it came damaged, and tell the customer',
    means: /\brefund\b/i,
    next: refundNamed,
  },
  {
    label: 'Several at once',
    text: 'Refund orders A-10294, A-10295 and A-10296 in full, the parcel got lost',
    means: /\borders\b/i,
    next: callThenDescribe(
      'I’ll refund the three orders. Each is a call of its own, so you can decide them one by one.',
      [
        refund('A-10294', 18.5, 'lost'),
        refund('A-10295', 34, 'lost'),
        refund('A-10296', 75.5, 'lost'),
      ],
      'The three orders are refunded.',
    ),
  },
  {
    label: 'Two approvers',
    text: 'Move €4,800 to the payroll account',
    means: /\bpayroll\b|\btransfer\b/i,
    next: callThenDescribe(
      'I’ll move €4,800.00 to the payroll account. A sum this large needs more than one approval.',
      [{ tool: 'transfer', args: { to: 'payroll', amount: 4_800 } }],
      'The money is moved.',
    ),
  },
  {
    label: 'Run a command',
    text: 'Run a command that shows how much space the workspace takes',
    means: /\bcommand\b/i,
    next: runCommand,
  },
];

function refund(order: string, amount: number, reason: string): ScriptedCall {
  return { tool: 'refund', args: { order, amount, currency: 'EUR', reason, notify: true } };
}

/** Refunds the order and amount named in the message. */
function refundNamed(turn: ConversationTurn): ScriptedAnswer {
  const [order = 'A-10293'] = /\bA-\d{5}\b/.exec(turn.said) ?? [];
  const amount = Number(/€\s?(\d{1,5}(?:\.\d{1,2})?)/.exec(turn.said)?.[1] ?? 80);
  const reason = /\bdamaged\b/i.test(turn.said) ? 'damaged' : 'as asked';
  return callThenDescribe(
    `I’ll refund €${amount.toFixed(2)} of order ${order}. Money leaves the shop, so a person decides first.`,
    [refund(order, amount, reason)],
    'The order is refunded.',
  )(turn);
}

function runCommand(turn: ConversationTurn): ScriptedAnswer {
  if (!turn.tools.includes('run_command')) {
    const words =
      'I have no tool that runs commands here: it needs a sandbox (bubblewrap), or ALLOW_UNSANDBOXED_COMMANDS=1, which runs them with all the rights of the app.';
    return { words };
  }
  return callThenDescribe(
    'I’ll run one command. The card shows the whole command, and how it is confined.',
    [{ tool: 'run_command', args: { command: COMMAND } }],
    'The command ran.',
  )(turn);
}
