import type { PlainTextOption } from '@slack/types';
import { LIMITS } from '../../text/limits.ts';
import { type FormNode, fieldsOf } from '../plan/form-node.ts';
import { optionAt, optionText } from './draw-field.ts';

/**
 * Finds the options of a searched field that contain the typed text. Exact and prefix matches come
 * first.
 */
export function suggestOptions(plan: FormNode, blockId: string, typed: string): PlainTextOption[] {
  const field = fieldsOf(plan).find(({ id }) => id === blockId);
  const widget = field?.widget;
  if (widget?.kind !== 'choice' && widget?.kind !== 'many') return [];
  const { options } = widget;
  const query = typed.trim().toLowerCase();
  const texts = options.map((option) => optionText(option).toLowerCase());
  const places = texts.flatMap((text, place) => (text.includes(query) ? [place] : []));
  const rank = (place: number) => {
    const text = texts[place] ?? '';
    if (text === query) return 0;
    return text.startsWith(query) ? 1 : 2;
  };
  return places
    .sort((a, b) => rank(a) - rank(b) || a - b)
    .slice(0, LIMITS.selectOptions)
    .map((place) => optionAt(options, place));
}
