import type { PersistedState } from '../workspace/state/persisted-state.ts';

/** What the shop has of a thing at first. */
const AT_FIRST = 60;

interface Delivery {
  readonly key: string;
  readonly item: string;
  readonly quantity: number;
}

/** What the playground's shop has in stock. */
export interface Stock {
  /** Adds to it, once for each key; returns what there is now. */
  add(delivery: Delivery): number;
}

/** Opens the stock, with the deliveries that were kept. */
export function openStock(kept: PersistedState): Stock {
  const deliveries = new Map(
    (kept.all('delivery') as readonly Delivery[]).map((each) => [each.key, each]),
  );
  return {
    add: (delivery) => {
      if (!deliveries.has(delivery.key)) {
        deliveries.set(delivery.key, delivery);
        kept.keep('delivery', delivery.key, delivery);
      }
      return [...deliveries.values()]
        .filter(({ item }) => item === delivery.item)
        .reduce((sum, { quantity }) => sum + quantity, AT_FIRST);
    },
  };
}
