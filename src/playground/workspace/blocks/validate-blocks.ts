import { isJson, type Json, toRecords, toText } from '../json-value.ts';
import { HOME_BLOCK_RULES, MESSAGE_BLOCK_RULES, MODAL_BLOCK_RULES } from './block-rules.ts';
import { LIMITS } from './limits.ts';
import {
  any,
  type BlockProblem,
  bool,
  byType,
  list,
  oneOf,
  plain,
  type Report,
  type Rule,
  shape,
  str,
} from './rules.ts';
import { listElements } from './walk-blocks.ts';

const messageBlocks = list(LIMITS.messageBlocks, byType(MESSAGE_BLOCK_RULES));
const modalBlocks = list(LIMITS.viewBlocks, byType(MODAL_BLOCK_RULES));
const homeBlocks = list(LIMITS.viewBlocks, byType(HOME_BLOCK_RULES));

const common = {
  callback_id: str(LIMITS.callbackId),
  private_metadata: str(LIMITS.privateMetadata),
  external_id: str(LIMITS.externalId),
};

const modal = shape({
  required: { type: any, title: plain(LIMITS.viewTitle), blocks: modalBlocks },
  optional: {
    ...common,
    submit: plain(LIMITS.viewButton),
    close: plain(LIMITS.viewButton),
    clear_on_close: bool,
    notify_on_close: bool,
    submit_disabled: bool,
  },
});

const home = shape({ required: { type: any, blocks: homeBlocks }, optional: common });

/**
 * Lists the problems that Slack would report in a message's blocks. Pointers are relative to the
 * message (`/blocks/0/text/text`).
 */
export function validateMessage(
  message: { readonly text?: unknown; readonly blocks?: unknown },
  { textLimit = true }: { textLimit?: boolean } = {},
): readonly BlockProblem[] {
  const { blocks = [] } = message;
  const problems = collect(messageBlocks, blocks, '/blocks', (report) => {
    checkIds(blocks, '/blocks', report);
    checkMarkdown(blocks, report);
    checkTables(blocks, report);
    checkCharts(blocks, report);
  });
  const tooLong = textLimit && countText(blocks) > LIMITS.messageBlocksText.max;
  return tooLong ? [...problems, blocksTooLong(countText(blocks))] : problems;
}

function blocksTooLong(length: number): BlockProblem {
  const { max } = LIMITS.messageBlocksText;
  return {
    pointer: '/blocks',
    code: 'msg_blocks_too_long',
    message: `all texts together must be less than ${max + 1} characters, not ${length}`,
  };
}

/** Lists the problems that Slack would report in a modal or Home view. */
export function validateView(view: unknown): readonly BlockProblem[] {
  const type = isJson(view) ? view.type : undefined;
  if (type !== 'modal' && type !== 'home') {
    return collect(
      shape({ required: { type: oneOf('modal', 'home') } }),
      view,
      '',
      () => undefined,
    );
  }
  const { blocks, submit } = view as Json;
  return collect(type === 'modal' ? modal : home, view, '', (report) => {
    checkIds(blocks, '/blocks', report);
    checkFocus(blocks, report);
    const hasInput = toRecords(blocks).some((block) => block.type === 'input');
    if (type === 'modal' && hasInput && submit === undefined) {
      report('', 'missing_field', 'missing required field: submit (the view has input blocks)');
    }
  });
}

function collect(
  rule: Rule,
  value: unknown,
  pointer: string,
  more: (report: Report) => void,
): readonly BlockProblem[] {
  const problems: BlockProblem[] = [];
  const report: Report = (at, code, message) => void problems.push({ pointer: at, code, message });
  rule(value, pointer, report);
  more(report);
  return problems;
}

function checkIds(blocks: unknown, pointer: string, report: Report): void {
  const seen = new Set<string>();
  for (const [index, block] of toRecords(blocks).entries()) {
    const blockId = toText(block.block_id);
    if (blockId !== '' && seen.has(blockId)) {
      report(
        `${pointer}/${index}/block_id`,
        'duplicate_id',
        `block_id "${blockId}" already exists`,
      );
    }
    seen.add(blockId);
    const actions = new Set<string>();
    for (const { element } of listElements([block])) {
      const actionId = toText(element.action_id);
      if (actionId !== '' && actions.has(actionId)) {
        report(`${pointer}/${index}`, 'duplicate_id', `action_id "${actionId}" already exists`);
      }
      actions.add(actionId);
    }
  }
}

function checkMarkdown(blocks: unknown, report: Report): void {
  const total = toRecords(blocks)
    .filter((block) => block.type === 'markdown')
    .reduce((sum, block) => sum + [...toText(block.text)].length, 0);
  if (total > LIMITS.markdownTotal.max) {
    report(
      '/blocks',
      'too_long',
      `markdown blocks must have less than ${LIMITS.markdownTotal.max + 1} characters together`,
    );
  }
}

function checkTables(blocks: unknown, report: Report): void {
  const tables = toRecords(blocks).filter((block) => block.type === 'table');
  if (tables.length > 1) {
    report('/blocks', 'only_one_table_allowed', 'only one table allowed in a message');
  }
  if (tables.some((table) => countText(table.rows) > LIMITS.tableText.max)) {
    report(
      '/blocks',
      'too_long',
      `a table must have less than ${LIMITS.tableText.max + 1} characters`,
    );
  }
}

function checkCharts(blocks: unknown, report: Report): void {
  const { max } = LIMITS.messageCharts;
  const charts = toRecords(blocks).filter((block) => block.type === 'data_visualization');
  if (charts.length > max) {
    report('/blocks', 'too_many_items', `no more than ${max} data_visualization blocks allowed`);
  }
}

function checkFocus(blocks: unknown, report: Report): void {
  const focused = listElements(toRecords(blocks)).filter(
    ({ element }) => element.focus_on_load === true,
  );
  if (focused.length > 1) {
    report('/blocks', 'invalid_value', 'only one element can have focus_on_load');
  }
}

/** Counts the characters of all visible text. */
function countText(value: unknown): number {
  if (Array.isArray(value)) {
    return value.reduce<number>((sum, item) => sum + countText(item), 0);
  }
  if (!isJson(value)) {
    return 0;
  }
  return Object.entries(value).reduce(
    (sum, [key, member]) =>
      sum + (key === 'text' && typeof member === 'string' ? [...member].length : countText(member)),
    0,
  );
}
