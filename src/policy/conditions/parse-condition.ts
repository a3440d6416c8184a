/**
 * Parses conditions. Accepts only expressions that mean here exactly what they mean in CEL, and
 * rejects the rest of CEL and of the library's extensions.
 */
import {
  type ASTNode,
  TypeError as CelTypeError,
  Environment,
  ParseError,
  type ParseResult,
} from '@marcbachmann/cel-js';
import { FUNCTIONS, METHODS } from './cel-functions.ts';
import { MACROS } from './evaluate-cel.ts';

/** What is wrong in a condition, and where (character index). */
export interface ConditionProblem {
  readonly problem: string;
  readonly at: number;
}

/** Variables of conditions. */
const VARIABLES = ['args', 'tool', 'agent', 'requester', 'channel', 'thread'];
const REQUESTER_FIELDS = { id: 'string', team: 'string', email: 'string', groups: 'list<string>' };
const TOTALS: ReadonlyMap<string, { readonly takes: readonly number[] }> = new Map([
  ['spent', { takes: [2] }],
  ['count', { takes: [1] }],
  ['has', { takes: [1] }],
]);
const LIMITS = { maxAstNodes: 2_000, maxDepth: 100 };
const MAX_INT = 2n ** 63n - 1n;

/** Creates the parser of conditions. */
export function createConditionParser(): (
  source: string,
) => { readonly ast: ASTNode } | ConditionProblem {
  const environment = createEnvironment();
  return (source) => {
    try {
      return checkParsed(source, environment.parse(source));
    } catch (error) {
      return toProblem(error);
    }
  };
}

function checkParsed(
  source: string,
  parsed: ParseResult,
): { readonly ast: ASTNode } | ConditionProblem {
  const { ast } = parsed;
  const refused = findComment(source, ast) ?? findUnsupported(ast, new Set());
  if (refused) return refused;
  const { error, type, valid } = parsed.check();
  if (!valid) return isOfCel(error) ? toProblem(error) : { problem: UNCLEAR_TYPES, at: 0 };
  if (type === 'bool' || type === 'dyn') return { ast };
  return { problem: `It evaluates to ${type} instead of true or false.`, at: 0 };
}

/** Used only to parse and type-check; functions and operators are never run. */
function createEnvironment(): Environment {
  const notCalled = () => {
    throw new Error('Values are not computed by the library.');
  };
  class Requester {}
  const environment = new Environment({ limits: LIMITS, homogeneousAggregateLiterals: false })
    .registerType('Requester', { ctor: Requester, fields: REQUESTER_FIELDS })
    .registerVariable('requester', 'Requester')
    .registerVariable('args', 'dyn')
    .registerVariable('tool', 'string')
    .registerVariable('agent', 'string')
    .registerVariable('channel', 'string')
    .registerVariable('thread', 'string')
    .registerFunction('spent(string, string): double', notCalled)
    .registerFunction('count(string): int', notCalled);
  for (const sign of ['+', '-', '*', '/', '%']) {
    environment.registerOperator(`double ${sign} int: double`, notCalled);
    environment.registerOperator(`int ${sign} double: double`, notCalled);
  }
  environment.registerOperator('double % double: double', notCalled);
  environment.registerOperator('int == double: bool', notCalled);
  return environment;
}

/** The checker does not know the item type of an empty list. */
const UNCLEAR_TYPES = 'The types of its values are unclear. Remove empty lists.';

function isOfCel(error: unknown): error is ParseError | CelTypeError {
  return error instanceof ParseError || error instanceof CelTypeError;
}

function toProblem(error: unknown): ConditionProblem {
  if (!isOfCel(error)) throw error;
  const isVariable = error.code === 'unknown_variable';
  const remedy = isVariable ? ` Known: ${VARIABLES.join(', ')}.` : '';
  return { problem: `${withPeriod(error.summary)}${remedy}`, at: error.range?.start ?? 0 };
}

function withPeriod(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** If YAML folds the text into one line, a comment would swallow the lines after it. */
function findComment(source: string, ast: ASTNode): ConditionProblem | undefined {
  let code = source;
  for (const { end, start } of textsIn(ast)) {
    code = `${code.slice(0, start)}${' '.repeat(end - start)}${code.slice(end)}`;
  }
  const at = code.indexOf('//');
  if (at === -1) return undefined;
  return { problem: 'A condition can’t contain a comment. Write it with # above the rule.', at };
}

function textsIn(node: ASTNode): readonly ASTNode[] {
  if (node.op === 'value') return typeof node.args === 'string' ? [node] : [];
  return childNodesOf(node).flatMap(textsIn);
}

/** Returns the child expressions of an expression. */
export function childNodesOf({ args }: ASTNode): readonly ASTNode[] {
  return nodesIn(args);
}

function nodesIn(args: unknown): readonly ASTNode[] {
  if (Array.isArray(args)) return args.flatMap(nodesIn);
  return typeof args === 'object' && args !== null && 'op' in args ? [args as ASTNode] : [];
}

/** Returns the first unsupported part. `items` are the names defined by macros. */
function findUnsupported(node: ASTNode, items: ReadonlySet<string>): ConditionProblem | undefined {
  const problem = findNodeProblem(node, items);
  // For a field, point at its name instead of its owner.
  if (problem !== undefined) return { problem, at: node.op === '.' ? node.pos : node.start };
  if (isRequesterField(node)) return undefined;
  if (node.op === 'rcall' && MACROS.has(node.args[0])) {
    const [, receiver, [item, ...expressions]] = node.args;
    const name = item?.op === 'id' ? item.args : '';
    const inside = new Set([...items, name]);
    return (
      findUnsupported(receiver, items) ??
      firstOf(expressions, (each) => findUnsupported(each, inside))
    );
  }
  return firstOf(childNodesOf(node), (each) => findUnsupported(each, items));
}

function firstOf<Item, Found>(
  items: readonly Item[],
  find: (item: Item) => Found | undefined,
): Found | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isRequesterField(node: ASTNode): boolean {
  return node.op === '.' && node.args[0].op === 'id' && node.args[0].args === 'requester';
}

function findNodeProblem(node: ASTNode, items: ReadonlySet<string>): string | undefined {
  switch (node.op) {
    case 'value':
      return checkLiteral(node);
    case 'id':
      return checkName(node.args, items);
    case '.':
      return checkField(node);
    case 'call':
      return checkCall(node.args[0], node.args[1].length, FUNCTIONS, TOTALS);
    case 'rcall':
      return checkMethod(node);
    case 'map':
      return checkMap(node.args);
    case '-_':
      return undefined;
    case '.?':
    case '[?]':
      return 'Optional values (“?”) are not supported here. Use has().';
    default:
      return checkChain(node);
  }
}

function checkLiteral({ args, end, input, start }: ASTNode): string | undefined {
  if (typeof args === 'bigint') {
    // The smallest number is one larger in magnitude, and its sign is a separate node.
    const isNegated = /-\s*$/.test(input.slice(0, start));
    return args <= (isNegated ? MAX_INT + 1n : MAX_INT) ? undefined : 'This number is too large.';
  }
  if (typeof args === 'string') {
    const text = input.slice(start, end);
    // CEL ends the string at this quote; the library does not.
    const isOdd = /^r/i.test(text) && /\\["']/.test(text);
    return isOdd ? 'In a raw string, a quote can’t follow a backslash.' : undefined;
  }
  const isPlain = args === null || typeof args === 'boolean' || typeof args === 'number';
  if (isPlain) return undefined;
  return 'Only strings, numbers, true, false and null are supported here: write 5 for 5u, and "x" for b"x".';
}

function checkName(name: string, items: ReadonlySet<string>): string | undefined {
  if (name === 'requester') {
    return 'Choose a field of the requester: requester.id, .team, .email or .groups.';
  }
  if (items.has(name) || VARIABLES.includes(name)) return undefined;
  return `Unknown variable: ${name}. Known: ${VARIABLES.join(', ')}.`;
}

function checkField(node: ASTNode): string | undefined {
  if (!isRequesterField(node) || node.op !== '.') return undefined;
  const [, field] = node.args;
  return Object.hasOwn(REQUESTER_FIELDS, field) ? undefined : `No such key: ${field}.`;
}

type Known = ReadonlyMap<string, { readonly takes: readonly number[] }>;

function checkCall(name: string, given: number, ...known: readonly Known[]): string | undefined {
  const takes = firstOf(known, (each) => each.get(name))?.takes;
  if (!takes) {
    const names = known.flatMap((each) => [...each.keys()]);
    return `“${name}” is not supported here. Known: ${names.join(', ')}.`;
  }
  if (takes.includes(given)) return undefined;
  return `found no matching overload for “${name}” with ${given} arguments.`;
}

function checkMethod(node: Extract<ASTNode, { readonly op: 'rcall' }>): string | undefined {
  const [name, , args] = node.args;
  const problem = checkCall(name, args.length, METHODS, MACROS);
  if (problem !== undefined || !MACROS.has(name)) return problem;
  const [item] = args;
  if (item?.op !== 'id') return `The first argument of ${name} must be a name for an item, like x.`;
  if (!VARIABLES.includes(item.args)) return undefined;
  return `“${item.args}” is taken. Give the items of ${name} another name, like x.`;
}

function checkMap(entries: Extract<ASTNode, { readonly op: 'map' }>['args']): string | undefined {
  const keys = entries.map(([key]) => (key.op === 'value' ? key.args : undefined));
  if (!keys.every((key) => typeof key === 'string'))
    return 'The keys of a map must be strings in quotes.';
  return new Set(keys).size === keys.length ? undefined : 'A key appears twice in this map.';
}

const COMPARISONS: ReadonlySet<string> = new Set(['<', '<=', '>', '>=', 'in']);

function checkChain(node: ASTNode): string | undefined {
  if (!COMPARISONS.has(node.op)) return undefined;
  const [left] = childNodesOf(node);
  const isChain = left !== undefined && COMPARISONS.has(left.op) && !isInParentheses(left);
  return isChain ? 'Comparisons can’t be chained. Write a < b && b < c.' : undefined;
}

function isInParentheses({ end, input }: ASTNode): boolean {
  return /^\s*\)/.test(input.slice(end));
}
