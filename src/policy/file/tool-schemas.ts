/** The schemas of the tools that a part of the file is about, and what is said of arguments that they lack. */
import { closestMatch } from 'leven';
import { matchesGlob } from '../../domain/text/glob.ts';
import type { Schema, UnknownField } from '../conditions/find-unknown-fields.ts';
import { suggestName } from './read-value.ts';

/** The tools that there are. */
export interface KnownTools {
  readonly tools: readonly string[];
  /** Returns the JSON Schema of a tool’s arguments. (Default: arguments are not compared.) */
  readonly schemaOf?: (tool: string) => Schema | undefined;
}

/** What is known of the tools that some names and patterns stand for. */
interface FoundSchemas {
  readonly tools: readonly string[];
  readonly schemas: readonly Schema[];
  /** Whether there may be more tools, of which nothing is known: those of servers and programs. */
  readonly mayBeMore: boolean;
}

/** Finds the schemas of the tools that names and patterns stand for; undefined where none is known. */
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

/** Says that no tool has an argument; undefined where another tool may have it, and none of these has one like it. */
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
