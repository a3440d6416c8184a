import type { PersistedState } from '../workspace/state/persisted-state.ts';
import { type Currency, formatMoney } from './money.ts';

/** An order of the playground's shop. Customers are left out. */
interface Order {
  readonly id: string;
  readonly paidCents: number;
  readonly currency: Currency;
  /** A date for display. */
  readonly paidOn: string;
}

interface Refund {
  readonly order: string;
  readonly cents: number;
}

const ORDERS: readonly Order[] = [
  { id: 'A-10288', paidCents: 59_90, currency: 'EUR', paidOn: '12 February' },
  { id: 'A-10291', paidCents: 249_00, currency: 'EUR', paidOn: '27 February' },
  { id: 'A-10293', paidCents: 129_00, currency: 'EUR', paidOn: '3 March' },
  { id: 'A-10294', paidCents: 18_50, currency: 'EUR', paidOn: '3 March' },
  { id: 'A-10295', paidCents: 34_00, currency: 'EUR', paidOn: '4 March' },
  { id: 'A-10296', paidCents: 75_50, currency: 'EUR', paidOn: '5 March' },
];

/** The orders of the playground's shop and their refunds. */
export interface OrderBook {
  /** Describes the status of an order. Throws for an unknown order. */
  say(id: string): string;
  /** A string that changes whenever the order changes. */
  stateOf(id: string): string;
  /** Throws with the reason if the amount cannot be refunded. */
  check(id: string, cents: number, currency: Currency): void;
  /** Refunds an order, once per key. Returns the remaining cents of the order. */
  refund(key: string, id: string, cents: number, currency: Currency): number;
}

/** Opens the order book with the stored refunds. */
export function openOrderBook(state: PersistedState): OrderBook {
  const refunds = new Map<string, Refund>();
  for (const each of state.all('refund')) {
    const { key, ...refund } = each as Refund & { readonly key: string };
    refunds.set(key, refund);
  }
  const find = (id: string): Order => {
    const found = ORDERS.find((order) => order.id === id);
    if (found) return found;
    throw new Error(
      `There is no order ${id}. There are ${ORDERS.map((each) => each.id).join(', ')}.`,
    );
  };
  const refundedOf = (id: string) =>
    [...refunds.values()]
      .filter(({ order }) => order === id)
      .reduce((sum, { cents }) => sum + cents, 0);
  const leftOf = (id: string) => find(id).paidCents - refundedOf(id);
  const check = (id: string, cents: number, currency: Currency): void => {
    const order = find(id);
    if (order.currency !== currency) {
      throw new Error(`Order ${id} was paid in ${order.currency}, not in ${currency}.`);
    }
    if (cents <= leftOf(id)) return;
    throw new Error(
      `Only ${formatMoney(leftOf(id), currency)} of order ${id} can still be refunded.`,
    );
  };
  return {
    say: (id) => {
      const { paidCents, currency, paidOn } = find(id);
      const paid = `Order ${id} · paid ${formatMoney(paidCents, currency)} on ${paidOn}`;
      const refunded = refundedOf(id);
      return refunded === 0 ? paid : `${paid} · ${formatMoney(refunded, currency)} refunded so far`;
    },
    stateOf: (id) => `${id} ${leftOf(id)}`,
    check,
    refund: (key, id, cents, currency) => {
      if (!refunds.has(key)) {
        check(id, cents, currency);
        refunds.set(key, { order: id, cents });
        state.keep('refund', key, { key, order: id, cents });
      }
      return leftOf(id);
    },
  };
}
