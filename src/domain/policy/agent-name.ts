/** Who makes a call, as rules of the policy name it: by kind and name, so that one name never stands for two. */
import { matchesGlob } from '../text/glob.ts';

/** The kinds that a rule can name. */
export const AGENT_KINDS = ['helper', 'key', 'graph'] as const;

export type NamedKind = (typeof AGENT_KINDS)[number];

/** An agent other than the thread's own; no rule is about a server's question. */
export interface AgentName {
  readonly kind: NamedKind | 'server';
  readonly name: string;
}

/** Agents that a rule means. */
export interface AgentPattern {
  /** As it is written in the policy. */
  readonly text: string;
  /** The name, in which `*` stands for anything. */
  readonly glob: string;
  /** Undefined for `*` alone, which means every agent. */
  readonly kind?: NamedKind;
  /** The policy does not say the kind: it is that of the only agents with such a name. */
  readonly isBare?: true;
}

/** What a text in the policy means, or why that is not clear. */
export type AgentParseResult =
  | { readonly kind: 'pattern'; readonly pattern: AgentPattern; readonly isKnown: boolean }
  | { readonly kind: 'no-kind'; readonly prefix: string }
  | { readonly kind: 'ambiguous'; readonly text: string; readonly meanings: readonly AgentName[] };

/** Writes an agent as policies do: `key:deploy-bot`. */
export function formatAgent({ kind, name }: AgentName): string {
  return `${kind}:${name}`;
}

/** Writes what a pattern means, with its kind. */
export function formatAgentPattern({ glob, kind }: AgentPattern): string {
  return kind === undefined ? glob : `${kind}:${glob}`;
}

/** Tells whether a text begins with a kind that rules can name. */
export function hasAgentKind(text: string): boolean {
  return AGENT_KINDS.some((kind) => text.startsWith(`${kind}:`));
}

/** Reads a name or a pattern; one without a kind means the only kind that has such names, or a key where none has: keys alone come while the app runs. */
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

/** Tells whether a pattern means an agent; `unclear` where it has a name that the policy uses for another kind. */
export function matchAgent(
  { glob, isBare, kind }: AgentPattern,
  agent: AgentName | undefined,
): 'yes' | 'no' | 'unclear' {
  if (!agent || !matchesGlob(glob, agent.name)) return 'no';
  if (kind === undefined || kind === agent.kind) return 'yes';
  return isBare ? 'unclear' : 'no';
}

/** Tells whether a pattern means all that another one does. */
export function coversAgents(wide: AgentPattern, narrow: AgentPattern): boolean {
  const isKind = wide.kind === undefined || wide.kind === narrow.kind;
  return isKind && matchesGlob(wide.glob, narrow.glob);
}

/** Says that a name in the policy means two things, and what to write. */
export function describeAmbiguousAgent(text: string, meanings: readonly AgentName[]): string {
  const all = [...new Set(meanings.map(formatAgent))];
  return `“${text}” means ${all.join(' and ')}. Write which, like ${hintOf(text, meanings)}.`;
}

function hintOf(text: string, meanings: readonly AgentName[]): string {
  return [...new Set(meanings.map(({ kind }) => `${kind}:${text}`))].join(' or ');
}
