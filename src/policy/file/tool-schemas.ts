/** Looks up the schemas of a rule's tools, and describes arguments that they lack. */
import { closestMatch } from 'leven';
import { matchesGlob } from '../../domain/text/glob.ts';
import type { Schema, UnknownField } from '../conditions/find-unknown-fields.ts';
import { suggestName } from './read-value.ts';

/** The existing tools. */
export interface KnownTools {
  readonly tools: readonly string[];
  /** Returns the JSON Schema of a tool's arguments. (Default: arguments are not checked.) */
  readonly schemaOf?: (tool: string) => Schema | undefined;
}

/** The tools that match some names and patterns, with their schemas. */
interface FoundSchemas {
  readonly tools: readonly string[];
  readonly schemas: readonly Schema[];
  /** Whether unknown tools of servers and programs may match, too. */
  readonly mayBeMore: boolean;
}

/** Finds the schemas of all matching tools; undefined if any is unknown. */
export function schemasOf(
  globs: readonly string[],
  known: KnownTools | undefined,
): FoundSchemas | undefined {
  if (!known?.schemaOf) return undefined;
  const { schemaOf, tools: all } = known;
  const tools = all.filter((name) => globs.some((glob) => matchesGlob(glob, name)));
  const schemas = tools.map(schemaOf).filter((schema) => schema !== undefined);
  if (schemas.length === 0 || schemas.length < tools.length) return undefined;
  return { tools, schemas, mayBeMore: !globs.every((glob) => tools.includes(glob)) };
}

/**
 * Says that no tool has an argument. Undefined if an unknown tool may have it and nothing similar
 * exists.
 */
export function describeUnknownField(
  { field, known, path }: UnknownField,
  { mayBeMore, tools }: FoundSchemas,
): string | undefined {
  const maxDistance = Math.max(2, field.length / 3);
  if (mayBeMore && closestMatch(field, known, { maxDistance }) === undefined) return undefined;
  const [only] = tools;
  const who = tools.length === 1 && !mayBeMore ? `“${only}” has no` : 'No tool of this rule has an';
  return `${who} argument “${path}”.${suggestName(field, known)}`;
}
