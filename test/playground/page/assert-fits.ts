import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

const BOXES = ':root, .top-bar, .act-as, .pane, .developer h2, .messages, dialog';
const CONTROLS =
  'button, select, textarea, summary, [role=tab], input:not([type=checkbox], [type=radio]), .box';
/** 44 CSS pixels, minus rounding. */
const THUMB_PX = 43.9;

/** Checks that nothing overflows, that no text of a message or form is cut off, and that on a phone each control is large enough for a thumb. */
export async function assertFits(page: Page): Promise<void> {
  const tooWide = await page.locator(BOXES).evaluateAll((nodes) =>
    nodes
      .filter((node) => {
        // Rounding can cost a box one pixel; a title that lacks more ends in dots.
        const rounding = node.matches('h2') ? 0 : 1;
        return node.checkVisibility() && node.scrollWidth > node.clientWidth + rounding;
      })
      .map((node) => `${node.tagName} ${node.className}`),
  );
  const folded = await page
    .locator('.messages pre, dialog pre')
    .evaluateAll((nodes) =>
      nodes
        .filter((node) => node.checkVisibility() && node.scrollHeight > node.clientHeight + 1)
        .map((node) => node.textContent?.slice(0, 40)),
    );
  const isPhone = (page.viewportSize()?.width ?? 0) < 768;
  const tooSmall = await page.locator(CONTROLS).evaluateAll(
    (nodes, smallest) =>
      nodes
        .filter((node) => {
          const { width, height } = node.getBoundingClientRect();
          return node.checkVisibility() && Math.min(width, height) < smallest;
        })
        .map((node) => `${node.tagName} ${node.className} ${node.textContent}`),
    isPhone ? THUMB_PX : 0,
  );
  assert.deepEqual({ tooWide, tooSmall, folded }, { tooWide: [], tooSmall: [], folded: [] });
}
