import { z } from 'zod';
import type { AppDeps } from '../../app/app-deps.ts';
import type { PersistedState } from '../workspace/state/persisted-state.ts';
import { CURRENCIES, formatMoney, toCents } from './money.ts';
import { type OrderBook, openOrderBook } from './order-book.ts';

type AgentTool = NonNullable<AppDeps['tools']>[number];

/** Defines a tool whose functions are typed by its schema. */
function toTool<Schema extends z.ZodType>(
  definition: Omit<AgentTool, 'schema' | 'run' | 'preview'> & {
    readonly schema: Schema;
    run(args: z.output<Schema>, context: Parameters<AgentTool['run']>[1]): string;
    preview(args: z.output<Schema>): { readonly text: string; readonly basis: string } | string;
    /** Summarizes a call in one line. */
    summary(args: z.output<Schema>): string;
  },
): AgentTool {
  return definition;
}

const amount = z
  .number()
  .positive()
  .max(100_000)
  .multipleOf(0.01)
  .meta({ title: 'Amount', description: 'In the whole unit of the currency, like 80 or 79.90' });
const currency = z.enum(CURRENCIES).meta({ title: 'Currency' });

/** Creates the tools of the playground's shop. */
export function createShopTools(state: PersistedState): readonly AgentTool[] {
  return [createRefund(openOrderBook(state)), createTransfer(state)];
}

function createRefund(book: OrderBook): AgentTool {
  return toTool({
    name: 'refund',
    description:
      'Refunds an order of the shop, or a part of it, to the customer. Use it when somebody asks for a refund and names the order.',
    schema: z.object({
      order: z
        .string()
        .regex(/^[A-Z]-\d{5}$/, 'must be the number of an order, like A-10293')
        .meta({ title: 'Order', description: 'Its number, like A-10293' }),
      amount,
      currency,
      reason: z.string().min(1).max(200).meta({ title: 'Reason' }),
      notify: z
        .boolean()
        .meta({ title: 'Notify', description: 'Whether the customer gets an e-mail' }),
    }),
    // The order book accepts each key once, even after a restart.
    idempotent: true,
    summary: (args) => `Refund ${describeAmount(args)} for order ${args.order}`,
    preview: ({ order, amount, currency }) => {
      book.check(order, toCents(amount), currency);
      return { text: book.say(order), basis: book.stateOf(order) };
    },
    run: ({ order, amount, currency, notify }, { idempotencyKey }) => {
      const left = book.refund(idempotencyKey, order, toCents(amount), currency);
      const notice = notify ? 'The customer is notified.' : 'The customer is not notified.';
      const rest =
        left === 0
          ? 'Nothing is left to refund.'
          : `${formatMoney(left, currency)} can still be refunded.`;
      return `Refunded ${describeAmount({ amount, currency })} for order ${order}. ${notice} ${rest}`;
    },
  });
}

type Account = 'payroll' | 'reserve';

/** Initial balances in cents. */
const ACCOUNTS: Readonly<Record<Account, number>> = { payroll: 12_000_00, reserve: 40_000_00 };

interface Transfer {
  readonly key: string;
  readonly to: Account;
  readonly cents: number;
}

function createTransfer(state: PersistedState): AgentTool {
  const made = new Map<string, Transfer>();
  for (const each of state.all('transfer') as readonly Transfer[]) made.set(each.key, each);
  const balanceOf = (account: Account) =>
    [...made.values()]
      .filter(({ to }) => to === account)
      .reduce((sum, { cents }) => sum + cents, ACCOUNTS[account]);
  const describeBalance = (account: Account) =>
    `The ${account} account holds ${formatMoney(balanceOf(account), 'EUR')}`;
  return toTool({
    name: 'transfer',
    description:
      'Moves euros from the shop’s main account to its payroll or reserve account. Use it when somebody asks for that.',
    schema: z.object({
      to: z.enum(['payroll', 'reserve']).meta({ title: 'To', description: 'The account' }),
      amount,
    }),
    risk: 'high',
    idempotent: true,
    summary: ({ to, amount }) => `Move ${formatMoney(toCents(amount), 'EUR')} to ${to}`,
    preview: ({ to }) => `${describeBalance(to)} now.`,
    run: ({ to, amount }, { idempotencyKey: key }) => {
      if (!made.has(key)) {
        const transfer = { key, to, cents: toCents(amount) };
        made.set(key, transfer);
        state.keep('transfer', key, transfer);
      }
      return `Moved ${formatMoney(toCents(amount), 'EUR')}. ${describeBalance(to)} now.`;
    },
  });
}

function describeAmount(args: {
  readonly amount: number;
  readonly currency: (typeof CURRENCIES)[number];
}): string {
  return formatMoney(toCents(args.amount), args.currency);
}
