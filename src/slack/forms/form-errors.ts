import type { FieldProblem } from '../../domain/tool.ts';
import { BUDGET } from '../limits.ts';
import type { FormField } from './form-fields.ts';

/**
 * Puts each problem on an input of the form: its own argument's, or the first one with the path
 * before the message. Slack shows nothing of an error that names no input; so none is empty or long.
 */
export function toFormErrors(
  problems: readonly FieldProblem[],
  fields: readonly Pick<FormField, 'key' | 'blockId'>[],
): Readonly<Record<string, string>> {
  const errors: Record<string, string> = {};
  for (const problem of problems) {
    const own = fields.find((field) => field.key === problem.path[0]);
    const field = own ?? fields[0];
    if (field === undefined) return {};
    const path = own === undefined ? problem.path : problem.path.slice(1);
    const said = say(problem.message, path, own === undefined);
    const earlier = errors[field.blockId];
    errors[field.blockId] = bound(earlier === undefined ? said : `${earlier} ${said}`);
  }
  return errors;
}

function say(message: string, path: FieldProblem['path'], isElsewhere: boolean): string {
  const text = message.trim() === '' ? 'This value is not valid.' : message.trim();
  if (path.length > 0) return `${path.join('.')}: ${text}`;
  return isElsewhere ? `The arguments together: ${text}` : text;
}

function bound(text: string): string {
  if (text.length <= BUDGET.fieldError) return text;
  return `${text.slice(0, BUDGET.fieldError - 1)}…`;
}
