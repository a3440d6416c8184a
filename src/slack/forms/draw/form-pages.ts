import { BUDGET } from '../../text/limits.ts';
import type { Row } from './draw-rows.ts';

/**
 * Splits rows into pages within Slack's limits and a readable length. There is at least one page.
 */
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

/** Groups each heading with the rows up to the first that is not a heading. */
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
