import { toVisible } from '../../../domain/text/visible-text.ts';
import type { FieldProblem } from '../../../domain/tools/tool.ts';
import { BUDGET } from '../../text/limits.ts';
import { type FormNode, fieldsOf, nodesOf, type Path } from '../plan/form-node.ts';
import type { FormProblem } from './read-form.ts';

/** Maps each schema problem to its field. Problems below a field are named by their path. */
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
          path.length === 0
            ? `The arguments as a whole: ${messageText(message)}`
            : withPath(path, message),
      };
    const rest = path.slice(node.path.length);
    return {
      id: node.id,
      path,
      message: rest.length === 0 ? messageText(message) : withPath(rest, message),
    };
  });
}

const MAX_PROBLEMS = 50;

/** Returns the deepest visible node that contains the path. */
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
  return `${path.join('.')}: ${messageText(message)}`;
}

function messageText(message: string): string {
  return message.trim() === '' ? 'This value is not valid.' : message.trim();
}

/** Formats a problem within Slack's length limit. */
export function formatFormProblem({ message }: FormProblem): string {
  return truncate(toVisible(messageText(message)).text);
}

function truncate(text: string): string {
  return text.length <= BUDGET.fieldError ? text : `${text.slice(0, BUDGET.fieldError - 1)}…`;
}

/** The part of a form that is in view. */
export interface InView {
  /** The ids of inputs that the view submitted. */
  readonly inputs: ReadonlySet<string>;
  /** The ids of all nodes on its page, including those without an input. */
  readonly shown: ReadonlySet<string>;
}

/**
 * Assigns problems to the inputs of a view. Those without an input of their own go to the first
 * one. Undefined if a problem is on another page, because Slack ignores errors that name no input.
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

function join(earlier: string | undefined, message: string): string {
  return truncate(earlier === undefined ? message : `${earlier} ${message}`);
}
