import { BUDGET } from '../../text/limits.ts';
import type { Row } from './draw-rows.ts';

/** Spreads rows over pages that Slack takes and people can oversee; there is at least one. */
export function toPages(rows: readonly Row[]): readonly (readonly Row[])[] {
  const pages: Row[][] = [];
  let page: Row[] = [];
  for (const unit of toUnits(rows)) {
    if (page.length > 0 && !fits([...page, ...unit])) {
      pages.push(page);
      page = [];
    }
    page.push(...unit);
  }
  return [...pages, page];
}

/** A heading and what follows it, up to the first row that heads nothing. */
function toUnits(rows: readonly Row[]): readonly (readonly Row[])[] {
  const units: Row[][] = [];
  let unit: Row[] = [];
  for (const row of rows) {
    unit.push(row);
    if (row.holdsNext) continue;
    units.push(unit);
    unit = [];
  }
  return unit.length > 0 ? [...units, unit] : units;
}

function fits(rows: readonly Row[]): boolean {
  const sum = (of: (row: Row) => number) => rows.reduce((total, row) => total + of(row), 0);
  return (
    sum(({ inputs }) => inputs) <= BUDGET.formFields &&
    sum(({ blocks }) => blocks.length) <= BUDGET.formBlocks &&
    sum(({ blocks }) => JSON.stringify(blocks).length) <= BUDGET.formCharacters
  );
}
