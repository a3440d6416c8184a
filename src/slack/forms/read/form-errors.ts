import { toVisible } from '../../../domain/text/visible-text.ts';
import type { FieldProblem } from '../../../domain/tools/tool.ts';
import { BUDGET } from '../../text/limits.ts';
import { type FormNode, fieldsOf, nodesOf, type Path } from '../plan/form-node.ts';
import type { FormProblem } from './read-form.ts';

/** Finds the field of each problem that the tool's schema has with the arguments; what lies deeper is named by its path. */
export function locateProblems(
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
export function formatFormProblem({ message }: FormProblem): string {
  return bound(toVisible(words(message)).text);
}

function bound(text: string): string {
  return text.length <= BUDGET.fieldError ? text : `${text.slice(0, BUDGET.fieldError - 1)}…`;
}

/** What of a form is in view. */
export interface InView {
  /** The inputs that the view sent. */
  readonly inputs: ReadonlySet<string>;
  /** The nodes that its page shows, those without an input too. */
  readonly shown: ReadonlySet<string>;
}

/**
 * Puts the problems on the inputs of a view; what is wrong with something else of its page, or with
 * all of it, is said on the first one. Undefined when a problem belongs to another page: Slack shows
 * nothing of an error that names no input.
 */
export function toFormErrors(
  problems: readonly FormProblem[],
  plan: FormNode,
  { inputs, shown }: InView,
): Readonly<Record<string, string>> | undefined {
  const labels = new Map(nodesOf(plan).map(({ id, label }) => [id, label]));
  const first = fieldsOf(plan).find(({ id }) => inputs.has(id))?.id;
  const errors: Record<string, string> = {};
  for (const problem of problems) {
    const { id } = problem;
    const isOwn = id !== undefined && inputs.has(id);
    const at = isOwn ? id : first;
    if (at === undefined || !(isOwn || id === undefined || shown.has(id))) return undefined;
    const label = isOwn || id === undefined ? '' : `${labels.get(id)}: `;
    errors[at] = join(errors[at], `${label}${formatFormProblem(problem)}`);
  }
  return errors;
}

function join(earlier: string | undefined, said: string): string {
  return bound(earlier === undefined ? said : `${earlier} ${said}`);
}
