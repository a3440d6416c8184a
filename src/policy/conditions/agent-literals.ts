import type { ASTNode } from '@marcbachmann/cel-js';
import {
  AGENT_KINDS,
  type AgentName,
  type AgentPattern,
  describeAmbiguousAgent,
  formatAgent,
  hasAgentKind,
  parseAgentPattern,
} from '../../domain/policy/agent-name.ts';
import { type ConditionProblem, childNodesOf } from './parse-condition.ts';

/** The resolved agent names of a condition. */
export interface AgentLiterals {
  /** Names written without a kind, with their kind. */
  readonly literals: ReadonlyMap<ASTNode, string>;
  readonly mentions: readonly AgentPattern[];
}

const USAGE =
  'Compare “agent” with names in quotes, like agent == "key:deploy-bot" or agent in ["helper:worker"]; startsWith, endsWith and contains take one too.';
const KINDS = AGENT_KINDS.map((kind) => `${kind}:`).join(', ');

/**
 * Reads the names that a condition compares `agent` with. Reports uses of `agent` that would be
 * false for every agent.
 */
export function readAgentLiterals(
  ast: ASTNode,
  known: readonly AgentName[],
): AgentLiterals | ConditionProblem {
  const literals = new Map<ASTNode, string>();
  const mentions: AgentPattern[] = [];

  function addLiteral(node: ASTNode): ConditionProblem | undefined {
    const text = textOf(node);
    if (text === undefined) return { problem: USAGE, at: node.start };
    if (text === '') return undefined;
    if (text.includes('*'))
      return { problem: `“${text}”: * has no meaning in a condition.`, at: node.start };
    const read = parseAgentPattern(text, known);
    if (read.kind === 'ambiguous') {
      return { problem: describeAmbiguousAgent(text, read.meanings), at: node.start };
    }
    if (read.kind === 'no-kind') return { problem: describeUnknownAgentKind(text), at: node.start };
    const { isBare, kind = 'key' } = read.pattern;
    if (!isBare) return undefined;
    literals.set(node, formatAgent({ kind, name: text }));
    mentions.push(read.pattern);
    return undefined;
  }

  function walk(node: ASTNode): ConditionProblem | undefined {
    if (isAgent(node)) return { problem: USAGE, at: node.start };
    const compared = comparedWith(node);
    if (compared) return first(compared, addLiteral);
    if (node.op === 'rcall' && isAgent(node.args[1])) return checkMethod(node);
    return first(childNodesOf(node), walk);
  }

  return walk(ast) ?? { literals, mentions };
}

/** Explains that an agent kind does not exist. */
export function describeUnknownAgentKind(text: string): string {
  return `“${text}” has no known kind of agent (${KINDS}). Name tools of MCP servers in “tools”, like "github__*".`;
}

function first<Item>(
  items: readonly Item[],
  find: (item: Item) => ConditionProblem | undefined,
): ConditionProblem | undefined {
  for (const item of items) {
    const found = find(item);
    if (found) return found;
  }
  return undefined;
}

function isAgent(node: ASTNode): boolean {
  return node.op === 'id' && node.args === 'agent';
}

function textOf(node: ASTNode): string | undefined {
  return node.op === 'value' && typeof node.args === 'string' ? node.args : undefined;
}

/** Returns what `agent` is compared with; undefined if it is not compared. */
function comparedWith(node: ASTNode): readonly ASTNode[] | undefined {
  if (node.op === '==' || node.op === '!=') {
    const [left, right] = node.args;
    if (isAgent(left)) return [right];
    return isAgent(right) ? [left] : undefined;
  }
  if (node.op !== 'in' || !isAgent(node.args[0])) return undefined;
  const [, list] = node.args;
  return list.op === 'list' ? list.args : [list];
}

function checkMethod(
  node: Extract<ASTNode, { readonly op: 'rcall' }>,
): ConditionProblem | undefined {
  const [name, agent, [argument]] = node.args;
  const text = argument && textOf(argument);
  if (!argument || text === undefined || !['startsWith', 'endsWith', 'contains'].includes(name)) {
    return { problem: USAGE, at: agent.start };
  }
  if (name !== 'startsWith' || hasAgentKind(text)) return undefined;
  const problem = `Agent names start with their kind (${KINDS}), like "key:${text}".`;
  return { problem, at: argument.start };
}
