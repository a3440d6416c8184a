import type { ASTNode } from '@marcbachmann/cel-js';
import { parseDuration } from '../../domain/text/duration.ts';
import { compilePattern } from './cel-patterns.ts';
import { type ConditionProblem, childNodesOf } from './parse-condition.ts';

/**
 * Finds literals that always fail: a bad duration, a bad regex, or a name where only ids are known.
 */
export function findInvalidLiteral(node: ASTNode): ConditionProblem | undefined {
  const own = checkCall(node);
  if (own) return own;
  for (const below of childNodesOf(node)) {
    const found = findInvalidLiteral(below);
    if (found) return found;
  }
  return undefined;
}

function checkCall(node: ASTNode): ConditionProblem | undefined {
  if (node.op === 'call') {
    const [name, args] = node.args;
    return name === 'spent' || name === 'count' ? checkWindow(args.at(-1)) : undefined;
  }
  if (node.op === 'rcall' && node.args[0] === 'matches') return checkPattern(node.args[2][0]);
  return checkComparison(node);
}

/** Fields known by id only. Compared with a name they would be the same for every call. */
const IDS: Readonly<Record<string, { readonly shape: RegExp; readonly is: string }>> = {
  channel: {
    shape: /^[CGD][A-Z0-9]+$/,
    is: 'Channels are compared by their ids, like C012AB3CD.',
  },
  'requester.id': {
    shape: /^[UW][A-Z0-9]+$/,
    is: 'People are compared by their ids, like U012AB3CD.',
  },
  'requester.team': {
    shape: /^[TE][A-Z0-9]+$/,
    is: 'Workspaces are compared by their ids, like T012AB3CD.',
  },
  'requester.groups': {
    shape: /^S[A-Z0-9]+$/,
    is: 'Groups are compared by their ids, like S012AB3CD.',
  },
};

function checkComparison(node: ASTNode): ConditionProblem | undefined {
  if (node.op !== '==' && node.op !== '!=' && node.op !== 'in') return undefined;
  const [left, right] = node.args;
  return checkIds(left, right) ?? checkIds(right, left);
}

function checkIds(known: ASTNode, compared: ASTNode): ConditionProblem | undefined {
  const kind = IDS[nameOf(known)];
  if (!kind) return undefined;
  for (const each of compared.op === 'list' ? compared.args : [compared]) {
    const text = literalOf(each);
    if (text !== undefined && !kind.shape.test(text)) {
      return { problem: `“${text}” is not an id. ${kind.is}`, at: each.start };
    }
  }
  return undefined;
}

function nameOf(node: ASTNode): string {
  if (node.op === 'id') return node.args;
  if (node.op !== '.') return '';
  const [owner, field] = node.args;
  return owner.op === 'id' ? `${owner.args}.${field}` : '';
}

function checkWindow(window: ASTNode | undefined): ConditionProblem | undefined {
  const text = window && literalOf(window);
  if (!window || text === undefined || parseDuration(text) !== undefined) return undefined;
  return { problem: describeInvalidWindow(text), at: window.start };
}

function checkPattern(pattern: ASTNode | undefined): ConditionProblem | undefined {
  const text = pattern && literalOf(pattern);
  if (!pattern || text === undefined) return undefined;
  if (text.includes('\b')) {
    const problem = 'This pattern contains a backspace. Write r"\\b" for a word boundary.';
    return { problem, at: pattern.start };
  }
  const read = compilePattern(text);
  if (read.ok) return undefined;
  const problem = `This is not a valid RE2 regular expression: ${read.why}${read.part && `, “${read.part}”`}.`;
  return { problem, at: placeOf(read.part, pattern) };
}

/** Returns where a part of a literal is in the text; else where the literal starts. */
function placeOf(part: string, { end, input, start }: ASTNode): number {
  const at = part === '' ? -1 : input.slice(start, end).indexOf(part);
  return start + Math.max(at, 0);
}

/** Returns the literals that are used as patterns. */
export function patternsOf(node: ASTNode): readonly { readonly args: string }[] {
  const below = childNodesOf(node).flatMap(patternsOf);
  if (node.op !== 'rcall' || node.args[0] !== 'matches') return below;
  const [pattern] = node.args[2];
  const text = pattern && literalOf(pattern);
  return text === undefined ? below : [{ args: text }, ...below];
}

/**
 * Returns how far back (ms) a condition looks at earlier calls; infinite if the window is computed.
 */
export function conditionLookBackMs(node: ASTNode): number {
  return Math.max(ownLookBack(node), ...childNodesOf(node).map(conditionLookBackMs));
}

function ownLookBack(node: ASTNode): number {
  if (node.op !== 'call') return 0;
  const [name, args] = node.args;
  if (name !== 'spent' && name !== 'count') return 0;
  const window = args.at(-1);
  const text = window && literalOf(window);
  return (text === undefined ? undefined : parseDuration(text)) ?? Number.POSITIVE_INFINITY;
}

function literalOf(node: ASTNode): string | undefined {
  return node.op === 'value' && typeof node.args === 'string' ? node.args : undefined;
}

/** Explains what is wrong with a window. */
export function describeInvalidWindow(text: string): string {
  return `“${text}” is not a duration. Write it like "30m", "24h" or "7d".`;
}
