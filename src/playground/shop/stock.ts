import type { PersistedState } from '../workspace/state/persisted-state.ts';

/** The initial stock of each item. */
const INITIAL_QUANTITY = 60;

interface Delivery {
  readonly key: string;
  readonly item: string;
  readonly quantity: number;
}

/** The stock of the playground's shop. */
export interface Stock {
  /** Adds a delivery, once per key. Returns the item's stock. */
  add(delivery: Delivery): number;
}

/** Opens the stock with the stored deliveries. */
export function openStock(state: PersistedState): Stock {
  const deliveries = new Map(
    (state.all('delivery') as readonly Delivery[]).map((each) => [each.key, each]),
  );
  return {
    add: (delivery) => {
      if (!deliveries.has(delivery.key)) {
        deliveries.set(delivery.key, delivery);
        state.keep('delivery', delivery.key, delivery);
      }
      return [...deliveries.values()]
        .filter(({ item }) => item === delivery.item)
        .reduce((sum, { quantity }) => sum + quantity, INITIAL_QUANTITY);
    },
  };
}
