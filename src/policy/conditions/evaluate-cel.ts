/**
 * Evaluates conditions. The library only parses and type-checks them. Its own evaluator deviates
 * from CEL for prototypes, conversions and code points.
 */
import type { ASTNode, ASTOperator } from '@marcbachmann/cel-js';
import { FUNCTIONS, METHODS } from './cel-functions.ts';
import type { CelPatterns } from './cel-patterns.ts';
import {
  type CelValue,
  ConditionError,
  calculate,
  compareOrdered,
  elementAt,
  fieldOf,
  isEqual,
  isIn,
  isMap,
  keysOf,
  negate,
  throwTypeError,
  typeOf,
  valueAt,
} from './cel-values.ts';

/** What a condition can access. */
export interface CelScope {
  readonly variables: ReadonlyMap<string, CelValue>;
  /** The item of the innermost enclosing macro. */
  readonly item?: Item;
  /** Throws while the value is unknown. */
  requester(field: string): CelValue;
  /** Evaluates `spent` and `count`. */
  total(name: string, args: readonly CelValue[]): CelValue;
  /** Literals that are replaced by another value. */
  readonly literals: ReadonlyMap<ASTNode, CelValue>;
  readonly patterns: CelPatterns;
}

/** The current item of a macro. */
interface Item {
  readonly name: string;
  value: CelValue;
  readonly outer: Item | undefined;
}

type NodeOf<Op extends ASTOperator> = Extract<ASTNode, { readonly op: Op }>;
type Evaluators = {
  readonly [Op in ASTOperator]?: (node: NodeOf<Op>, scope: CelScope) => CelValue;
};

/**
 * Evaluates an expression accepted by `parseCondition`. Throws a `ConditionError` if it has no
 * value.
 */
export function evaluateCel(node: ASTNode, scope: CelScope): CelValue {
  const evaluate = EVALUATORS[node.op] as
    | ((node: ASTNode, scope: CelScope) => CelValue)
    | undefined;
  if (!evaluate) throw new ConditionError(`“${node.op}” is not supported.`);
  return evaluate(node, scope);
}

type Pair = { readonly op: ASTOperator; readonly args: readonly [ASTNode, ASTNode] };

const both = (work: (a: CelValue, b: CelValue, sign: string) => CelValue) => {
  return ({ args: [left, right], op }: Pair, scope: CelScope) =>
    work(evaluateCel(left, scope), evaluateCel(right, scope), op);
};
const compares = both((a, b, sign) => compareOrdered(sign, a, b));
const calculates = both((a, b, sign) => calculate(sign, a, b));

const EVALUATORS: Evaluators = {
  value: (node, { literals }) => literals.get(node) ?? (node.args as CelValue),
  id: ({ args: name }, { item, variables }) => {
    for (let each = item; each; each = each.outer) if (each.name === name) return each.value;
    const value = variables.get(name);
    if (value === undefined) throw new ConditionError(`There is no “${name}”.`);
    return value;
  },
  '.': ({ args: [owner, field] }, scope) =>
    isRequester(owner) ? scope.requester(field) : fieldOf(evaluateCel(owner, scope), field),
  '[]': both(elementAt),
  list: ({ args }, scope) => args.map((each) => evaluateCel(each, scope)),
  map: ({ args }, scope) => {
    const map: { [key: string]: CelValue } = Object.create(null);
    for (const [key, value] of args) map[String(key.args)] = evaluateCel(value, scope);
    return map;
  },
  call: ({ args: [name, args] }, scope) => call(name, args, scope),
  rcall: ({ args: [name, receiver, args] }, scope) => {
    const macro = MACROS.get(name);
    if (macro) return macro.work(evaluateCel(receiver, scope), args, scope);
    const values = [receiver, ...args].map((each) => evaluateCel(each, scope));
    return METHODS.get(name)?.work(values, scope.patterns) ?? throwTypeError(`${name}()`);
  },
  '?:': ({ args: [condition, yes, no] }, scope) =>
    evaluateCel(toBool(evaluateCel(condition, scope)) ? yes : no, scope),
  '&&': ({ args }, scope) => decide(args, false, scope),
  '||': ({ args }, scope) => decide(args, true, scope),
  '!_': ({ args }, scope) => !toBool(evaluateCel(args, scope)),
  '-_': ({ args }, scope) => negate(evaluateCel(args, scope)),
  '==': both(isEqual),
  '!=': both((a, b) => !isEqual(a, b)),
  in: both(isIn),
  '<': compares,
  '<=': compares,
  '>': compares,
  '>=': compares,
  '+': calculates,
  '-': calculates,
  '*': calculates,
  '/': calculates,
  '%': calculates,
};

function isRequester(node: ASTNode): boolean {
  return node.op === 'id' && node.args === 'requester';
}

function toBool(value: CelValue): boolean {
  return typeof value === 'boolean' ? value : throwTypeError(`${typeOf(value)} as a condition`);
}

/** Either side can decide the result, even if the other one fails. */
function decide(sides: readonly ASTNode[], settles: boolean, scope: CelScope): boolean {
  let failure: unknown;
  for (const side of sides) {
    try {
      if (toBool(evaluateCel(side, scope)) === settles) return settles;
    } catch (error) {
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
  return !settles;
}

function call(name: string, args: readonly ASTNode[], scope: CelScope): CelValue {
  const [first] = args;
  if (name === 'has' && first) return has(first, scope);
  const values = args.map((each) => evaluateCel(each, scope));
  const known = FUNCTIONS.get(name);
  return known ? known.work(values, scope.patterns) : scope.total(name, values);
}

function has(node: ASTNode, scope: CelScope): boolean {
  if (node.op !== '.') return throwTypeError('has()');
  const [owner, field] = node.args;
  if (isRequester(owner)) return true;
  const map = evaluateCel(owner, scope);
  return isMap(map) ? valueAt(map, field) !== undefined : throwTypeError(`has() of ${typeOf(map)}`);
}

type Macro = (range: CelValue, args: readonly ASTNode[], scope: CelScope) => CelValue;
/** Evaluates a macro's expression for an item. */
type OfItem = (item: CelValue) => CelValue;

function withItems(work: (items: readonly CelValue[], each: readonly OfItem[]) => CelValue): Macro {
  return (range, [variable, ...expressions], scope) => {
    const item: Item = { name: String(variable?.args), value: null, outer: scope.item };
    const inside = { ...scope, item };
    const each = expressions.map(
      (expression): OfItem =>
        (value) => {
          item.value = value;
          return evaluateCel(expression, inside);
        },
    );
    return work(itemsOf(range), each);
  };
}

function itemsOf(range: CelValue): readonly CelValue[] {
  if (Array.isArray(range)) return range;
  return isMap(range) ? keysOf(range) : throwTypeError(`a macro on ${typeOf(range)}`);
}

const nothing: OfItem = () => null;

/** `exists` and `all`: one item can decide the result, even if others fail. */
const quantifies = (settles: boolean) =>
  withItems((items, [test = nothing]) => {
    let failure: unknown;
    for (const item of items) {
      try {
        if (toBool(test(item)) === settles) return settles;
      } catch (error) {
        failure ??= error;
      }
    }
    if (failure !== undefined) throw failure;
    return !settles;
  });

/** The macros and their numbers of arguments. The first argument names the item. */
export const MACROS: ReadonlyMap<
  string,
  { readonly takes: readonly number[]; readonly work: Macro }
> = new Map([
  ['all', { takes: [2], work: quantifies(false) }],
  ['exists', { takes: [2], work: quantifies(true) }],
  ['exists_one', { takes: [2], work: withItems((items, [test]) => countOf(items, test) === 1) }],
  ['filter', { takes: [2], work: withItems((items, [test]) => keepOf(items, test)) }],
  [
    'map',
    {
      takes: [2, 3],
      work: withItems((items, [first = nothing, last]) =>
        last ? keepOf(items, first).map((item) => last(item)) : items.map((item) => first(item)),
      ),
    },
  ],
]);

function keepOf(items: readonly CelValue[], test: OfItem = nothing): readonly CelValue[] {
  return items.filter((item) => toBool(test(item)));
}

function countOf(items: readonly CelValue[], test: OfItem | undefined): number {
  return keepOf(items, test).length;
}
