/** Shows on the card what a person changed in the arguments. */
import type { KnownBlock, RichTextElement } from '@slack/types';
import type { Call } from '../../../domain/calls/call.ts';
import { type ArgChange, callEditOf } from '../../../domain/calls/call-edit.ts';
import type { JsonValue } from '../../../domain/json/json.ts';
import {
  type Masking,
  maskedPaths,
  secretAt,
  secretPlaceholder,
} from '../../../domain/secrets/mask-secrets.ts';
import { diffLines } from '../../../domain/text/line-diff.ts';
import { BUDGET } from '../../text/limits.ts';
import { mention } from '../../text/mrkdwn.ts';
import { formatCount, truncateValue } from '../values/fit-values.ts';
import { formatScalar } from '../values/format-scalar.ts';
import { renderText, type ShownArgument } from '../values/render-arguments.ts';
import { asCode, buildValueBlock } from '../values/rich-text-blocks.ts';

const MAX_CHANGES = 8;
const MAX_SIDE = 60;
/** Cards are rendered often. A longer diff is slow and does not fit. */
const MAX_EDITED_LINES = 200;
const MAX_PATCH = 20_000;
/** Once its secrets are masked, a longer value may fit on a line. */
const MAX_TRIED = 1_000;

/** Builds the blocks that say who edited a call, and what; empty if nobody did. */
export function buildEdit(call: Call, masking: Masking): KnownBlock[] {
  if (call.editedBy === undefined) return [];
  const text = `:pencil2: Edited by ${mention(call.editedBy.user)}`;
  const who: KnownBlock = { type: 'context', elements: [{ type: 'mrkdwn', text }] };
  const changes = callEditOf(call, maskedPaths(masking))?.changes ?? [];
  const shown = changes.slice(0, MAX_CHANGES);
  const left = changes.length - shown.length;
  const room = Math.floor(BUDGET.edit / Math.max(1, shown.length));
  return [
    who,
    ...shown.flatMap((change) => buildChange(change, masking, room)),
    ...(left === 0
      ? []
      : [buildEditLine([italic(`${formatCount(left)} more changes are not shown.`)])]),
  ];
}

function buildChange(change: ArgChange, masking: Masking, room: number): KnownBlock[] {
  const { path, from, to, isSecret } = change;
  const name = truncateValue(renderText('', nameOf(path), masking), MAX_SIDE).text;
  if (isSecret) {
    const within = masking.paths.claimed.length > 0 ? 'claimed' : 'hidden';
    const kind = secretAt(path, masking) ?? within;
    const sides = [from, to].map((side) =>
      side === undefined ? 'not set' : secretPlaceholder(kind, side, masking),
    );
    return [buildEditLine([asCode(name), italic(` changed from ${sides.join(' to ')}`)])];
  }
  const isLong = [from, to].some((side) => JSON.stringify(side ?? null).length > MAX_TRIED);
  const sides = isLong ? [] : [from, to].map((side) => renderSide(side, masking));
  if (!isLong && sides.every(({ text }) => text.length <= MAX_SIDE && !text.includes('\n'))) {
    const [before, after] = sides.map(elementsOf);
    return [
      buildEditLine([
        asCode(name),
        italic(' from '),
        ...(before ?? []),
        italic(' to '),
        ...(after ?? []),
      ]),
    ];
  }
  const patch = renderText('', difference(...textsOf(from, to)), masking);
  return [
    buildEditLine([asCode(name), italic(' changed:')]),
    ...buildValueBlock([truncatePatch(patch, room)]),
  ];
}

function truncatePatch(piece: ShownArgument, room: number): ShownArgument {
  const cut = truncateValue({ ...piece, label: 'Difference' }, Math.min(room, BUDGET.edit));
  return { ...cut, set: 'box' };
}

function nameOf(path: ArgChange['path']): string {
  return path.length === 0 ? 'the arguments' : path.map(describeStep).join('.');
}

/** Quotes a key that could be taken for a path. */
function describeStep(step: string | number): string {
  return typeof step === 'number' || /^[\w-]+$/.test(step) ? `${step}` : JSON.stringify(step);
}

function renderSide(value: JsonValue | undefined, masking: Masking): ShownArgument {
  const shown = value === undefined ? undefined : formatScalar(value);
  const { text, set } = shown ?? { text: JSON.stringify(value) ?? '', set: 'code' as const };
  return { ...renderText('', text, masking), set };
}

function elementsOf({ set, text }: ShownArgument): readonly RichTextElement[] {
  if (text === '') return [italic('not set')];
  if (set === 'ours') return [italic(text)];
  return [set === 'plain' ? { type: 'text', text } : asCode(text)];
}

/**
 * Prints both sides as JSON unless both are texts, so that a text can't look like another value.
 */
function textsOf(from: JsonValue | undefined, to: JsonValue | undefined): [string, string] {
  const areTexts = [from, to].every((each) => each === undefined || typeof each === 'string');
  const textOf = (value: JsonValue | undefined) => {
    if (value === undefined) return '';
    return areTexts && typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
  };
  return [textOf(from), textOf(to)];
}

function difference(before: string, after: string): string {
  const sizes = `${formatCount(before.length)} characters became ${formatCount(after.length)}.`;
  const patch = diffLines(before, after, { context: 1, maxChanged: MAX_EDITED_LINES });
  return patch === undefined || patch.length > MAX_PATCH ? sizes : patch;
}

/** Our own text is italic, so that it differs from the data it describes. */
function italic(text: string): RichTextElement {
  return { type: 'text', text, style: { italic: true } };
}

function buildEditLine(elements: RichTextElement[]): KnownBlock {
  return { type: 'rich_text', elements: [{ type: 'rich_text_section', elements }] };
}
