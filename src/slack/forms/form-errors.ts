import type { FieldProblem } from '../../domain/tool.ts';
import { toVisible } from '../cards/visible-text.ts';
import { BUDGET } from '../limits.ts';
import { type FormNode, fieldsOf, nodesOf, type Path } from './form-node.ts';
import type { FormProblem } from './read-form.ts';

/** Finds the field of each problem that the tool's schema has with the arguments; what lies deeper is named by its path. */
export function placeProblems(
  problems: readonly FieldProblem[],
  plan: FormNode,
): readonly FormProblem[] {
  return problems.slice(0, MAX_PROBLEMS).map(({ path, message }) => {
    const node = nodeAt(plan, path);
    if (node === undefined)
      return {
        path,
        message:
          path.length === 0 ? `The arguments together: ${words(message)}` : withPath(path, message),
      };
    const rest = path.slice(node.path.length);
    return {
      id: node.id,
      path,
      message: rest.length === 0 ? words(message) : withPath(rest, message),
    };
  });
}

const MAX_PROBLEMS = 50;

/** The deepest node, shown in the form, whose value has the path in it. */
function nodeAt(plan: FormNode, path: Path): FormNode | undefined {
  const around = nodesOf(plan).filter(
    (node) => node.path.length > 0 && isShown(node) && isWithin(path, node.path),
  );
  return around.reduce<FormNode | undefined>((best, node) => {
    const isDeeper = best === undefined || node.path.length > best.path.length;
    return isDeeper || (node.path.length === best.path.length && node.type === 'field')
      ? node
      : best;
  }, undefined);
}

function isShown(node: FormNode): boolean {
  if (node.type === 'kept') return node.why !== '';
  return node.type !== 'group' || node.heading;
}

function isWithin(path: Path, around: Path): boolean {
  return (
    around.length <= path.length && around.every((step, i) => String(step) === String(path[i]))
  );
}

function withPath(path: Path, message: string): string {
  return `${path.join('.')}: ${words(message)}`;
}

function words(message: string): string {
  return message.trim() === '' ? 'This value is not valid.' : message.trim();
}

/** Says a problem in bounds. */
export function sayProblem({ message }: FormProblem): string {
  return bound(toVisible(words(message)).text);
}

function bound(text: string): string {
  return text.length <= BUDGET.fieldError ? text : `${text.slice(0, BUDGET.fieldError - 1)}…`;
}

/**
 * Puts the problems on the inputs of a view, those of no field on its first one; undefined when a
 * problem belongs elsewhere. Slack shows nothing of an error that names no input.
 */
export function toFormErrors(
  problems: readonly FormProblem[],
  plan: FormNode,
  inputs: ReadonlySet<string>,
): Readonly<Record<string, string>> | undefined {
  const [first] = fieldsOf(plan).filter(({ id }) => inputs.has(id));
  const errors: Record<string, string> = {};
  for (const problem of problems) {
    const id = problem.id ?? first?.id;
    if (id === undefined || !inputs.has(id)) return undefined;
    const said = sayProblem(problem);
    errors[id] = errors[id] === undefined ? said : bound(`${errors[id]} ${said}`);
  }
  return errors;
}
