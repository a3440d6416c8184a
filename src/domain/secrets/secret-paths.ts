/** Which arguments are secret: by dotted paths, as a tool declares them or its schema marks them. */
import type { JsonValue } from '../json/json.ts';
import { targetOf } from '../json/schema-size.ts';

/**
 * Tells whether an argument lies at, or in, one of the dotted paths. `*` stands for any key or any
 * place in a list, `**` for any way down; a list's items are passed through without it too.
 */
export function isSecretPath(
  path: readonly (string | number)[],
  secrets: readonly string[],
): boolean {
  if (secrets.length === 0) return false;
  const known = matchers.get(secrets);
  const matches = known ?? createMatcher(secrets);
  if (!known) matchers.set(secrets, matches);
  return matches(path);
}

type Step = string | number;

/** One per list of paths: many arguments are asked about with the same one. */
const matchers = new WeakMap<readonly string[], (path: readonly Step[]) => boolean>();

/** The paths as a tree of their steps. */
interface PathNode {
  readonly next: Map<string, PathNode>;
  /** A path ends here. */
  isEnd: boolean;
  /** Its step is `**`. */
  readonly isDeep: boolean;
}

function createNode(isDeep = false): PathNode {
  return { next: new Map(), isEnd: false, isDeep };
}

/** Remembers the way to the path before: arguments are asked about in their order, so most of it is the same. */
function createMatcher(secrets: readonly string[]): (path: readonly Step[]) => boolean {
  const root = createNode();
  for (const secret of secrets) {
    let node = root;
    for (const step of secret.split('.')) {
      const next = node.next.get(step) ?? createNode(step === '**');
      node.next.set(step, next);
      node = next;
    }
    node.isEnd = true;
  }
  const start = closeOver(new Set([root]));
  let way: { readonly step: Step; readonly nodes: ReadonlySet<PathNode> }[] = [];
  return (path) => {
    let same = 0;
    while (same < way.length && same < path.length && way[same]?.step === path[same]) same += 1;
    way = way.slice(0, same);
    for (const step of path.slice(same)) {
      way.push({ step, nodes: stepFrom(way.at(-1)?.nodes ?? start, step) });
    }
    return isIn(start) || way.some(({ nodes }) => isIn(nodes));
  };
}

function isIn(nodes: ReadonlySet<PathNode>): boolean {
  for (const { isEnd } of nodes) if (isEnd) return true;
  return false;
}

/** `**` stands for no step too. */
function closeOver(nodes: Set<PathNode>): ReadonlySet<PathNode> {
  for (const { next } of nodes) {
    const deep = next.get('**');
    if (deep) nodes.add(deep);
  }
  return nodes;
}

function stepFrom(nodes: ReadonlySet<PathNode>, step: Step): ReadonlySet<PathNode> {
  const reached = new Set<PathNode>();
  const add = (node: PathNode | undefined) => node && reached.add(node);
  for (const node of nodes) {
    add(node.next.get('*'));
    if (node.isDeep || typeof step === 'number') add(node);
    if (typeof step === 'string') add(nodeAt(node, step));
  }
  return closeOver(reached);
}

/** A key may hold dots itself. */
function nodeAt(from: PathNode, key: string): PathNode | undefined {
  let node: PathNode | undefined = from;
  for (const part of key.split('.')) node = node?.next.get(part);
  return node;
}

/** Dotted paths of secret arguments, by who declares them. */
export interface SecretPaths {
  /** By the operator: in their own tools, or with `redact` in the policy. Never shown. */
  readonly hidden: readonly string[];
  /** By the schema of an outside tool. Masked until opened. */
  readonly claimed: readonly string[];
}

/** What of a call says which arguments are secret. */
export interface SecretsOfCall {
  readonly outside?: object;
  /** The MCP server whose tool it is. */
  readonly server?: string;
  readonly secrets?: readonly string[];
  readonly redact?: readonly string[];
}

/** What of a tool does, where it is known. */
export interface SecretsOfTool {
  readonly secrets: readonly string[];
  readonly server?: string;
}

/** An outside schema that marks more than this marks all arguments: nothing of it must take long. */
const MAX_CLAIMED = 32;

/**
 * Lists the secret paths of a call: the tool's of now, and those that it had when the call was made.
 * Where the tool is from decides who declares them, whatever its schema says: only the operator's
 * own tools and the policy can hide anything from the people who decide.
 */
export function secretPathsOfCall(call: SecretsOfCall, tool?: SecretsOfTool): SecretPaths {
  const declared = [...new Set([...(call.secrets ?? []), ...(tool?.secrets ?? [])])];
  const isOwn =
    call.outside === undefined && call.server === undefined && tool?.server === undefined;
  const redacted = call.redact ?? [];
  if (isOwn) return { hidden: [...new Set([...redacted, ...declared])], claimed: [] };
  return { hidden: redacted, claimed: declared.length > MAX_CLAIMED ? ['*'] : declared };
}

/** Lists all of them, whoever declares them. */
export function allSecretPaths(call: SecretsOfCall, tool?: SecretsOfTool): readonly string[] {
  const { claimed, hidden } = secretPathsOfCall(call, tool);
  return [...hidden, ...claimed];
}

type Schema = { readonly [key: string]: JsonValue };

/** In what goes on for longer everything counts as secret. */
const MAX_STEPS = 50_000;

/** Lists the paths that a JSON Schema marks as secret: `format: "password"`, `writeOnly`, or `secret: true`. */
export function secretPathsOf(schema: Schema): readonly string[] {
  const paths = new Set<string>();
  const count = { left: MAX_STEPS };
  walk(schema, { root: schema, path: [], paths, refs: [], count });
  return count.left < 0 ? ['*'] : [...paths];
}

interface Walk {
  readonly root: Schema;
  readonly path: readonly string[];
  readonly paths: Set<string>;
  /** References that are being followed: a recursive schema is walked once. */
  readonly refs: readonly string[];
  readonly count: { left: number };
}

/** Keywords whose schemas are of the value itself, or of a list's items, which are passed through. */
const OF_ITSELF = [
  ...['anyOf', 'oneOf', 'allOf', 'if', 'then', 'else', 'not', 'dependentSchemas', 'dependencies'],
  ...['items', 'prefixItems', 'additionalItems', 'unevaluatedItems', 'contains'],
] as const;
/** Those of values under names that the schema does not list. */
const OF_ANY_FIELD = [
  'additionalProperties',
  'unevaluatedProperties',
  'patternProperties',
] as const;
/** What stands in them are schemas by name. */
const BY_NAME: ReadonlySet<string> = new Set([
  'dependentSchemas',
  'dependencies',
  'patternProperties',
]);

function walk(schema: JsonValue | undefined, at: Walk): void {
  at.count.left -= 1;
  if (!isSchema(schema) || at.count.left < 0) return;
  if (schema.format === 'password' || schema.writeOnly === true || schema.secret === true) {
    at.paths.add(at.path.length === 0 ? '*' : at.path.join('.'));
    return;
  }
  walkReference(schema, at);
  const properties = isSchema(schema.properties) ? Object.entries(schema.properties) : [];
  const fields = OF_ANY_FIELD.flatMap((name) => schemasIn(schema, name));
  for (const [key, inner] of [...properties, ...fields.map((each) => ['*', each] as const)]) {
    walk(inner, { ...at, path: [...at.path, key] });
  }
  for (const each of OF_ITSELF.flatMap((name) => schemasIn(schema, name))) walk(each, at);
}

/** One, a list of them, or some by name. */
function schemasIn(schema: Schema, keyword: string): readonly JsonValue[] {
  const value = schema[keyword];
  if (Array.isArray(value)) return value as readonly JsonValue[];
  if (!isSchema(value)) return [];
  return BY_NAME.has(keyword) ? Object.values(value) : [value];
}

function walkReference(schema: Schema, at: Walk): void {
  const { $ref } = schema;
  if (typeof $ref !== 'string') return;
  const target = targetOf(at.root, $ref);
  if (!at.refs.includes($ref)) walk(target, { ...at, refs: [...at.refs, $ref] });
  // Here the schema is in itself: its secrets lie at any depth below.
  else if (!at.path.includes('**'))
    walk(target, { ...at, path: [...at.path, '**'], refs: [...at.refs, $ref] });
}

function isSchema(value: JsonValue | undefined): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
