import { type ParseArgsConfig, parseArgs } from 'node:util';
import { UsageError } from './command.ts';

/** Reads the arguments of a command as they are written; throws `UsageError` for an unknown option, one without a value, and one that would take the place of another. */
export function parseArguments<T extends ParseArgsConfig>(
  config: T,
): ReturnType<typeof parseArgs<T>> {
  const { tokens } = parse({ ...config, tokens: true as const });
  const seen = new Set<string>();
  for (const token of tokens ?? []) {
    if (token.kind !== 'option') continue;
    const { name, rawName, value } = token;
    // A variable that is not set would widen what is asked for.
    if (value === '') throw new UsageError(`${rawName} has no value. Add one, or leave it out.`);
    if (seen.has(name) && config.options?.[name]?.multiple !== true) {
      throw new UsageError(`${rawName} is there twice. Say it once.`);
    }
    seen.add(name);
  }
  return parse(config);
}

function parse<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    const isOfArguments =
      error instanceof Error && 'code' in error && /^ERR_PARSE_ARGS/.test(String(error.code));
    if (!isOfArguments) throw error;
    // The lines after the first are about shells.
    throw new UsageError(error.message.split('\n', 1).join(), { cause: error });
  }
}

/** Reads a list of words between commas or blanks; throws `UsageError` where one is empty, as by a variable that is not set. */
export function parseWordList(option: string, text: string): readonly string[] {
  const words = text.trim().split(/\s*,\s*|\s+/);
  if (words.every((word) => word !== '')) return [...new Set(words)];
  throw new UsageError(
    `${option} has an empty item, as by a variable that is not set. Name it, or remove its comma.`,
  );
}
