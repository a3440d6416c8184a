/** The money that the shop takes. */
export const CURRENCIES = ['EUR', 'USD'] as const;
export type Currency = (typeof CURRENCIES)[number];

/** Whole cents of an amount: sums of them are exact. */
export function toCents(amount: number): number {
  return Math.round(amount * 100);
}

/** Writes an amount as people do: €80.00. */
export function formatMoney(cents: number, currency: Currency): string {
  return new Intl.NumberFormat('en', { style: 'currency', currency }).format(cents / 100);
}
