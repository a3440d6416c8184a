/** Finds conditions that can never hold, or that another one covers, from their text alone. */
import type { ASTNode } from '@marcbachmann/cel-js';
import { matchesGlob } from '../../domain/text/glob.ts';

/** One of the parts that must all hold. */
type Part =
  /** The named value equals one of these. */
  | { readonly kind: 'one-of'; readonly name: string; readonly values: ReadonlySet<string> }
  | { readonly kind: 'other'; readonly text: string };

/** Explains why a condition is always false for these tools; undefined if that is not certain. */
export function explainNeverMatches(ast: ASTNode, tools: readonly string[]): string | undefined {
  const parts = partsOf(ast);
  if (parts.some((part) => part.kind === 'other' && part.text === 'false')) {
    return 'its condition is false';
  }
  for (const [at, part] of parts.entries()) {
    if (part.kind !== 'one-of') continue;
    const { name, values } = part;
    const isOfRule = (value: string) =>
      tools.some((glob) => matchesGlob(glob, String(JSON.parse(value))));
    if (name === 'tool' && ![...values].some(isOfRule)) return 'its “tools” name other tools';
    // An agent may be named with or without its kind, so values can't be compared.
    const other =
      name === 'agent'
        ? undefined
        : parts
            .slice(at + 1)
            .find(
              (each) =>
                each.kind === 'one-of' && each.name === name && isDisjoint(each.values, values),
            );
    if (other) return `${name} can’t be two things at once`;
  }
  return undefined;
}

/** Returns whether `one` certainly implies `other`. */
export function implies(one: ASTNode, other: ASTNode): boolean {
  const given = partsOf(one);
  return partsOf(other).every((wanted) => given.some((part) => isWithin(part, wanted)));
}

function isWithin(part: Part, wanted: Part): boolean {
  if (part.kind === 'other') return wanted.kind === 'other' && part.text === wanted.text;
  return (
    wanted.kind === 'one-of' &&
    wanted.name === part.name &&
    [...part.values].every((value) => wanted.values.has(value))
  );
}

function isDisjoint(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return ![...one].some((value) => other.has(value));
}

function partsOf(node: ASTNode): readonly Part[] {
  if (node.op === '&&') return node.args.flatMap(partsOf);
  return [readEquality(node) ?? { kind: 'other', text: node.input.slice(node.start, node.end) }];
}

function readEquality(node: ASTNode): Part | undefined {
  if (node.op !== '==' && node.op !== 'in') return undefined;
  const [left, right] = node.args;
  const name = nameOf(left) ?? (node.op === '==' ? nameOf(right) : undefined);
  if (name === undefined) return undefined;
  const other = nameOf(left) === undefined ? left : right;
  if (node.op === 'in' && other.op !== 'list') return undefined;
  const values = (other.op === 'list' && node.op === 'in' ? other.args : [other]).map(literalOf);
  if (values.includes(undefined)) return undefined;
  return { kind: 'one-of', name, values: new Set(values.flatMap((value) => value ?? [])) };
}

function nameOf(node: ASTNode): string | undefined {
  if (node.op === 'id') return node.args;
  if (node.op !== '.') return undefined;
  const owner = nameOf(node.args[0]);
  return owner === undefined ? undefined : `${owner}.${node.args[1]}`;
}

/** As JSON, so that 5 and 5.0 are equal. */
function literalOf({ args, op }: ASTNode): string | undefined {
  if (op !== 'value') return undefined;
  return typeof args === 'bigint' ? String(args) : JSON.stringify(args);
}
