/**
 * Agents as policy rules name them. The kind is part of the name, so one name never means two
 * agents.
 */
import { matchesGlob } from '../text/glob.ts';

/** The kinds that a rule can name. */
export const AGENT_KINDS = ['helper', 'key', 'graph'] as const;

export type NamedKind = (typeof AGENT_KINDS)[number];

/** An agent other than the thread's own. No rule applies to an MCP server's question. */
export interface AgentName {
  readonly kind: NamedKind | 'server';
  readonly name: string;
}

/** The agents that a rule applies to. */
export interface AgentPattern {
  /** The text as written in the policy. */
  readonly text: string;
  /** The name; `*` matches anything. */
  readonly glob: string;
  /** Undefined for a lone `*`, which matches every agent. */
  readonly kind?: NamedKind;
  /** The policy names no kind, so `kind` was inferred from the known agents. */
  readonly isBare?: true;
}

/** The parsed agent pattern, or why it is unclear. */
export type AgentParseResult =
  | { readonly kind: 'pattern'; readonly pattern: AgentPattern; readonly isKnown: boolean }
  | { readonly kind: 'no-kind'; readonly prefix: string }
  | { readonly kind: 'ambiguous'; readonly text: string; readonly meanings: readonly AgentName[] };

/** Formats an agent as policies do, e.g. `key:deploy-bot`. */
export function formatAgent({ kind, name }: AgentName): string {
  return `${kind}:${name}`;
}

/** Formats a pattern with its kind. */
export function formatAgentPattern({ glob, kind }: AgentPattern): string {
  return kind === undefined ? glob : `${kind}:${glob}`;
}

/** Returns whether a text starts with a kind that rules can name. */
export function hasAgentKind(text: string): boolean {
  return AGENT_KINDS.some((kind) => text.startsWith(`${kind}:`));
}

/**
 * Parses an agent name or pattern. Without a kind, it means the only kind with such names. If none
 * has them it means a key, because only keys are added at run time.
 */
export function parseAgentPattern(text: string, known: readonly AgentName[]): AgentParseResult {
  const [prefix = '', ...rest] = text.split(':');
  const named = AGENT_KINDS.find((kind) => kind === prefix);
  const glob = rest.join(':');
  if (named && glob !== '') {
    const isKnown = known.some(({ kind, name }) => kind === named && matchesGlob(glob, name));
    return { kind: 'pattern', pattern: { text, glob, kind: named }, isKnown };
  }
  if (rest.length > 0) return { kind: 'no-kind', prefix };
  if (/^\*+$/.test(text)) return { kind: 'pattern', pattern: { text, glob: '*' }, isKnown: true };
  const meanings = known.filter(({ name }) => matchesGlob(text, name));
  const kinds = new Set(meanings.map(({ kind }) => kind));
  if (kinds.size > 1) return { kind: 'ambiguous', text, meanings };
  const kind = AGENT_KINDS.find((each) => kinds.has(each)) ?? 'key';
  const pattern: AgentPattern = { text, glob: text, kind, isBare: true };
  return { kind: 'pattern', pattern, isKnown: meanings.length > 0 };
}

/** Returns whether a pattern matches an agent; `unclear` if only the inferred kind differs. */
export function matchAgent(
  { glob, isBare, kind }: AgentPattern,
  agent: AgentName | undefined,
): 'yes' | 'no' | 'unclear' {
  if (!agent || !matchesGlob(glob, agent.name)) return 'no';
  if (kind === undefined || kind === agent.kind) return 'yes';
  return isBare ? 'unclear' : 'no';
}

/** Returns whether `wide` matches every agent that `narrow` matches. */
export function coversAgents(wide: AgentPattern, narrow: AgentPattern): boolean {
  const isKind = wide.kind === undefined || wide.kind === narrow.kind;
  return isKind && matchesGlob(wide.glob, narrow.glob);
}

/** Explains that a name is ambiguous, and what to write instead. */
export function describeAmbiguousAgent(text: string, meanings: readonly AgentName[]): string {
  const all = [...new Set(meanings.map(formatAgent))];
  return `“${text}” means ${all.join(' and ')}. Write which, like ${hintOf(text, meanings)}.`;
}

function hintOf(text: string, meanings: readonly AgentName[]): string {
  return [...new Set(meanings.map(({ kind }) => `${kind}:${text}`))].join(' or ');
}
