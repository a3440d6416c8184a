/** Which arguments are secret: dotted paths, declared by a tool or marked in its schema. */

import { type InnerSchema, innerSchemas } from '../json/inner-schemas.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json.ts';
import { targetOf } from '../json/schema-size.ts';

/**
 * Returns whether an argument is at or below one of the dotted paths. `*` matches one key or list
 * index, `**` any number of steps. List indexes may also be omitted.
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

/** Cached per list of paths, which is queried for many arguments. */
const matchers = new WeakMap<readonly string[], (path: readonly Step[]) => boolean>();

/** The paths as a tree of steps. */
interface PathNode {
  readonly next: Map<string, PathNode>;
  /** A path ends here. */
  isEnd: boolean;
  /** This node's step is `**`. */
  readonly isDeep: boolean;
}

function createNode(isDeep = false): PathNode {
  return { next: new Map(), isEnd: false, isDeep };
}

/** Caches the previous path: arguments are queried in order, so they share most steps. */
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
  let steps: { readonly step: Step; readonly nodes: ReadonlySet<PathNode> }[] = [];
  return (path) => {
    let same = 0;
    while (same < steps.length && same < path.length && steps[same]?.step === path[same]) same += 1;
    steps = steps.slice(0, same);
    for (const step of path.slice(same)) {
      steps.push({ step, nodes: stepFrom(steps.at(-1)?.nodes ?? start, step) });
    }
    return hasEnd(start) || steps.some(({ nodes }) => hasEnd(nodes));
  };
}

function hasEnd(nodes: ReadonlySet<PathNode>): boolean {
  for (const { isEnd } of nodes) if (isEnd) return true;
  return false;
}

/** `**` also matches no step at all. */
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

/** Keys may contain dots. */
function nodeAt(from: PathNode, key: string): PathNode | undefined {
  let node: PathNode | undefined = from;
  for (const part of key.split('.')) node = node?.next.get(part);
  return node;
}

/** Dotted paths of secret arguments, by who declared them. */
export interface SecretPaths {
  /** By the operator, in their own tools or with `redact` in the policy. Never shown. */
  readonly hidden: readonly string[];
  /** By a third-party tool's schema. Masked until opened. */
  readonly claimed: readonly string[];
}

/** The fields of a call that say which arguments are secret. */
export interface SecretsOfCall {
  readonly outside?: object;
  /** The MCP server that offers the tool. */
  readonly server?: string;
  readonly secrets?: readonly string[];
  readonly redact?: readonly string[];
}

/** The same fields of its tool, if known. */
export interface SecretsOfTool {
  readonly secrets: readonly string[];
  readonly server?: string;
}

/** A third-party schema with more marks hides all arguments, which bounds the work. */
const MAX_CLAIMED = 32;

/**
 * Lists a call's secret paths, from the current tool and the one at the time of the call. The
 * tool's origin decides who declared them, whatever its schema says. Only the operator's tools and
 * the policy can hide something from the people who decide.
 */
export function secretPathsOfCall(call: SecretsOfCall, tool?: SecretsOfTool): SecretPaths {
  const declared = [...new Set([...(call.secrets ?? []), ...(tool?.secrets ?? [])])];
  const isOwn =
    call.outside === undefined && call.server === undefined && tool?.server === undefined;
  const redacted = call.redact ?? [];
  if (isOwn) return { hidden: [...new Set([...redacted, ...declared])], claimed: [] };
  return { hidden: redacted, claimed: declared.length > MAX_CLAIMED ? ['*'] : declared };
}

/** Lists all secret paths of a call, whoever declared them. */
export function allSecretPaths(call: SecretsOfCall, tool?: SecretsOfTool): readonly string[] {
  const { claimed, hidden } = secretPathsOfCall(call, tool);
  return [...hidden, ...claimed];
}

type Schema = JsonObject;

/** If walking a schema takes more steps, everything counts as secret. */
const MAX_STEPS = 50_000;

/**
 * Lists the paths that a JSON Schema marks secret: `format: "password"`, `writeOnly` or `secret:
 * true`.
 */
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
  /** References being followed, so that a recursive schema is walked once. */
  readonly refs: readonly string[];
  readonly count: { left: number };
}

/** Keywords whose schemas apply to keys that are not listed. */
const OF_ANY_FIELD: ReadonlySet<string> = new Set([
  'additionalProperties',
  'unevaluatedProperties',
  'patternProperties',
]);

function walk(schema: JsonValue | undefined, at: Walk): void {
  at.count.left -= 1;
  if (!isJsonObject(schema) || at.count.left < 0) return;
  if (schema.format === 'password' || schema.writeOnly === true || schema.secret === true) {
    at.paths.add(at.path.length === 0 ? '*' : at.path.join('.'));
    return;
  }
  walkReference(schema, at);
  for (const inner of innerSchemas(schema)) walk(inner.schema, { ...at, path: pathOf(inner, at) });
}

/** Schemas of other keywords apply to the value itself or to its list items. */
function pathOf({ keyword, key = '' }: InnerSchema, { path }: Walk): readonly string[] {
  if (keyword === 'properties') return [...path, key];
  return OF_ANY_FIELD.has(keyword) ? [...path, '*'] : path;
}

function walkReference(schema: Schema, at: Walk): void {
  const { $ref } = schema;
  if (typeof $ref !== 'string') return;
  const target = targetOf(at.root, $ref);
  if (!at.refs.includes($ref)) walk(target, { ...at, refs: [...at.refs, $ref] });
  // The schema contains itself, so its secrets may be at any depth below.
  else if (!at.path.includes('**'))
    walk(target, { ...at, path: [...at.path, '**'], refs: [...at.refs, $ref] });
}
